/* Every text that a respondent reads, in German: see ppdm.en.js. */
globalThis.ppdmText = {
  "lang": "de",
  "dir": "ltr",
  "page": {
    "promise": "Was geschieht mit Ihren Antworten?",
    "promise1": "Sie werden verschlüsselt und bleiben auf diesem Gerät, bis die Umfrage nicht mehr verlangt, als Sie zulassen.",
    "promise2": "Dann werden sie einmal durch Zufall verfremdet, so dass nur noch wenige gewichtete Summen daraus lesbar sind.",
    "promise3": "Die Antworten werden gelöscht. Gesendet wird nur die Verfremdung, dazu die Antwort auf „{label}“, die nicht verfremdet wird.",
    "promiseShown": "Am Ende zeigt die Seite alles, was sie verlassen hat.",
    "noScript": "Diese Umfrage verfremdet Ihre Antworten in Ihrem eigenen Browser; dazu braucht sie JavaScript. Es ist ausgeschaltet, daher kann nichts ausgefüllt oder gesendet werden.",
    "answers": "Ihre Antworten",
    "choose": "Bitte wählen …",
    "classHelp": "Diese Antwort wird so gesendet, wie sie ist.",
    "submit": "Verschließen und senden, sobald erlaubt",
    "learnt": "Was die Umfrage bisher gelernt hat"
  },
  "steps": {
    "locked": "Auf diesem Gerät verschlossen",
    "waiting": "Warten auf eine Anfrage, die Sie zulassen",
    "disguised": "Einmal verfremdet",
    "sent": "Gesendet"
  },
  "stop": {
    "title": "Nicht über diese Verbindung",
    "insecure": "Diese Seite kann Ihre Antworten hier nicht schützen: Der Browser verschlüsselt nur über https oder auf diesem Rechner selbst. Es kann nichts ausgefüllt werden, und es wird nichts gesendet.",
    "noStorage": "Dieser Browser lässt die Seite nichts aufbewahren (IndexedDB fehlt oder ist gesperrt). Ihre Antworten könnten nicht verschlüsselt liegen, bis sie verfremdet sind. Es kann nichts ausgefüllt werden."
  },
  "loading": {
    "title": "Einen Augenblick",
    "text": "Die Umfrage wird nach ihren Fragen gefragt …",
    "noSurvey": "Die Umfrage ist nicht erreichbar. Die Seite versucht es weiter."
  },
  "level": {
    "legend": "Wie viel darf die Umfrage lesen?",
    "help": "Die Umfrage liest Antworten entlang von Richtungen: Das sind gewichtete Summen über alle Fragen. Lassen Sie wenige zu, müssen Sie vielleicht warten, bis so wenige reichen. Ihre Wahl bleibt auf dieser Seite; die Umfrage erfährt sie nie.",
    "number": "{level} von {n} Richtungen",
    "all": "Alles: Meine Antworten dürfen so gesendet werden, wie sie sind.",
    "least": "So wenig wie möglich: eine gewichtete Summe meiner Antworten.",
    "little": "Wenig: einige gewichtete Summen; die meisten Einzelheiten bleiben bei mir.",
    "fair": "Ein guter Teil der Einzelheiten.",
    "most": "Die meisten Einzelheiten."
  },
  "missing": {
    "choice": "Bitte wählen Sie eine Antwort.",
    "number": "Bitte geben Sie eine Zahl ein.",
    "count": { "one": "Eine Frage ist noch nicht beantwortet.", "other": "{n} Fragen sind noch nicht beantwortet." },
    "answer": "Zu „{label}“ gibt es keine gültige Antwort."
  },
  "waiting": {
    "locked": "Ihre Antworten sind verschlossen",
    "checking": "Sie liegen verschlüsselt auf diesem Gerät. Die Umfrage wird gefragt, wie viele Richtungen sie lesen will …",
    "title": "Warten: Die Umfrage verlangt zu viel",
    "asksFor": {
      "one": "Die Umfrage verlangt zurzeit {n} Richtung, Sie lassen {level} zu. Wenn mehr Menschen antworten, kommt sie vielleicht mit weniger aus.",
      "other": "Die Umfrage verlangt zurzeit {n} Richtungen, Sie lassen {level} zu. Wenn mehr Menschen antworten, kommt sie vielleicht mit weniger aus."
    },
    "stay": "Bis dahin bleiben Ihre Antworten verschlüsselt auf diesem Gerät. Sie können diese Seite schließen und wiederkommen.",
    "declined": "So wollten Sie nicht senden. Die Seite wartet auf die nächste Anfrage der Umfrage.",
    "unreachable": "Die Umfrage ist nicht erreichbar",
    "unreachableText": "Nichts ist verloren, und nichts wurde gesendet. Die Seite versucht es von selbst wieder.",
    "stopped": "Die Seite fragt nicht mehr, damit sie nicht ewig fragt. Drücken Sie „Jetzt fragen“, um fortzufahren.",
    "asks": "Die Umfrage verlangt",
    "allows": "Sie lassen zu"
  },
  "refused": {
    "title": "Abgelehnt",
    "text": "{reason} Es wurde nichts gesendet. Ihre Antworten liegen weiter verschlüsselt auf diesem Gerät.",
    "rejected": "Die Umfrage hat es nicht angenommen",
    "rejectedText": "{reason} Ihre Antworten sind schon gelöscht; ihre Verfremdung ist noch hier.",
    "broken": "Diese Seite ist gescheitert: {reason}."
  },
  "warning": {
    "title": "Diese Antworten ließen sich ablesen",
    "text": "Was die Umfrage verlangt, lassen Sie zu. Es liest aber die Antworten unten. Diese Seite hat es an erdachten Personen ausprobiert, auch an solchen, die ähnlich antworten wie Sie: Von je 100 ließe sich die Antwort aus dem Gesendeten bei so vielen richtig erraten. Ein Münzwurf trifft bei 50. Trotzdem senden?",
    "share": "{name}: bei {n} von 100 richtig",
    "everything": "Alle Ihre Antworten",
    "whether": "{label}: ob es „{value}“ ist"
  },
  "sending": {
    "title": "Verfremdet. Wird gesendet …",
    "text": "Ihre Antworten sind gelöscht. Nur ihre Verfremdung, einmal gezogen, wird gesendet.",
    "later": "Die Umfrage hat es nicht bestätigt. Die Seite sendet dieselbe Verfremdung von selbst noch einmal; gespeichert wird sie nur einmal. Sie können diese Seite schließen und wiederkommen."
  },
  "sent": {
    "title": "Gesendet. Vielen Dank",
    "text": "Ihre Antworten sind von diesem Gerät gelöscht, und ihre Verfremdung auch, da sie nun angekommen ist. Wer noch einmal antwortet, sendet eine zweite Verfremdung, und zwei verraten mehr als eine.",
    "left": "Alles, was diese Seite verlassen hat",
    "before": "Es wurde gesendet, bevor diese Seite geladen war; was es war, wird nicht aufbewahrt.",
    "ones": "Was die Umfrage bekommen hat",
    "onesHelp": "Eine gefüllte Marke ist eine 1. Der Zufall hat sie verschoben: Eine Frage kann zwei Marken haben oder keine.",
    "hash": "Fingerabdruck der Anleitung von Epoche {epoch}, für alle derselbe:"
  },
  "forged": {
    "unreadable": "Die Antwort der Umfrage ist nicht lesbar.",
    "protocol": "Die Umfrage spricht eine andere Fassung des Protokolls.",
    "form": "Die Seite hat keine Frage mit dem Namen „{name}“.",
    "questions": "Die Umfrage hat ihre Fragen geändert, seit Sie geantwortet haben.",
    "inquiry": "Die Umfrage hat etwas angekündigt, das keine Epoche und keine Zahl von Richtungen ist.",
    "twoLevels": "Die Umfrage hat für Epoche {epoch} zwei verschiedene Zahlen von Richtungen angekündigt: Eine ehrliche bleibt bei einer.",
    "published": "Was die Umfrage über diese Epoche veröffentlicht hat, passt nicht zu dem, was sie angekündigt hat.",
    "twoHashes": "Die Umfrage hat zwei verschiedene Fingerabdrücke für die Anleitung von Epoche {epoch} veröffentlicht: Entweder wurde sie neu begonnen, oder sie behandelt nicht alle gleich.",
    "epoch": "Die Umfrage hat die Anleitung einer anderen Epoche gesendet, als sie angekündigt hat.",
    "token": "Die Umfrage hat keine Marke für die Einsendung gesendet.",
    "k": "Die Umfrage hat eine Anleitung für eine andere Zahl von Richtungen gesendet, als sie angekündigt hat.",
    "level": "Die Anleitung liest {k} Richtungen, Sie lassen {level} zu.",
    "rows": "Die Anleitung hat {rows} Zeilen, es gibt {n} Bits.",
    "columns": "Die Anleitung hat nicht die angekündigten {k} Spalten.",
    "finite": "Die Anleitung enthält etwas, das keine endliche Zahl ist.",
    "orthonormal": "Die Spalten der Anleitung sind nicht orthonormal: Sie würde mehr lesen, als sie sagt.",
    "hash": "Die Anleitung ist nicht die, welche die Umfrage für alle veröffentlicht hat."
  },
  "buttons": {
    "level": "Diese Wahl verwenden",
    "go": "Jetzt fragen",
    "again": "Noch einmal versuchen",
    "retry": "Jetzt noch einmal senden",
    "forget": "Meine Antworten löschen",
    "send": "So senden",
    "decline": "Auf eine andere Anfrage warten",
    "discard": "Verwerfen",
    "restart": "Noch einmal antworten"
  }
};
