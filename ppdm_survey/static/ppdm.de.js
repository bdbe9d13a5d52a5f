/* Every text that a respondent reads, in German: see ppdm.en.js. */
globalThis.ppdmText = {
  "lang": "de",
  "dir": "ltr",
  "page": {
    "noScript": "Diese Umfrage verfremdet Ihre Antworten in Ihrem eigenen Browser; dazu braucht sie JavaScript. Es läuft noch nicht, daher kann nichts ausgefüllt oder gesendet werden. Bleibt diese Zeile stehen, laden Sie die Seite neu oder schalten Sie JavaScript ein.",
    "answers": "Ihre Antworten",
    "choose": "Bitte wählen …",
    "noAnswer": "Keine Angabe",
    "mayBeEmpty": "Darf leer bleiben.",
    "notDisguised": "Nicht verfremdet, unverändert gesendet: {label}",
    "research": "Dieses Verfahren ist für Forschung und Vorführungen da. In Simulationen von vier Fragebögen mit je 300 Menschen wurden 27 bis 79 von 100 je nach so wenig gefragt, wie sie zulassen. Was gelernt wurde, nannte die offene Antwort bei 60 bis 63 von 100 richtig; immer die häufigere zu nennen ist bei 60 richtig. Was gesendet wird, verrät ohne Grenze über Sie.",
    "submit": "Verschließen und senden, sobald erlaubt",
    "submitOpen": "Meine Antworten unverändert senden",
    "learnt": "Was die Umfrage bisher gelernt hat",
    "open": "Hier kann jeder antworten, so oft er will. Wer fast alle Antworten eines Stapels selbst sendet, kann die Verfremdung der anderen aus den Zählungen ausrechnen.",
    "invited": "An dieser Umfrage nimmt man auf Einladung teil; jede Einladung gilt für eine Antwort. Wenn Sie „Beginnen“ drücken, tauscht Ihr Browser Ihre Einladung gegen eine Marke, welche die Umfrage unterschreibt, ohne sie zu sehen. So erfährt die Umfrage, dass Sie teilnehmen, aber nicht, welcher Bericht Ihrer ist. Ihre Netzadresse könnte es dennoch verraten oder die Zeit, wenn wenige andere dann antworten.",
    "openFew": "Auch die Antworten, die nicht verfremdet sind, könnten es, wo wenige sie teilen.",
    "openLast": "Von den nicht verfremdeten Antworten wird vor dem Ende der Umfrage keine Zahl gezeigt: Wer fast alle Antworten eines Stapels sendet, läse sonst die übrigen. Nach dem Ende werden Zahlen nach Gruppen gezeigt: Wer fast alle Antworten einer Gruppe gesendet hat, kann die Verfremdung der anderen darin ausrechnen.",
    "notApplicable": "Trifft nicht zu"
  },
  "consent": {
    "title": "Bevor Sie antworten",
    "who": "Wer fragt",
    "why": "Wozu",
    "keeps": "Wie lange aufbewahrt",
    "unnamed": "Der Betreiber hat es nicht angegeben.",
    "free": "Die Teilnahme ist freiwillig. Bis zum Senden können Sie aufhören: Seite schließen. Mussten Sie warten, bleiben Ihre Antworten auf diesem Gerät, bis Sie „Meine Antworten löschen“ drücken.",
    "disguise": "Ihr Browser verfremdet Ihre Antworten durch Zufall und sendet diese Verfremdung, einmal. Sie verrät noch etwas über Sie: Sie wählen, wie viel. Vielleicht müssen Sie warten.",
    "open": "Die erste Epoche nimmt alle Antworten einiger Menschen unverändert. Sie erfahren es vorher und können warten.",
    "class": "Ihre Antwort auf „{label}“ wird immer so gesendet, wie sie ist.",
    "public": "Öffentlich sind nur Zählungen über viele Menschen.",
    "closed": "Der Betreiber sieht jede Einsendung; diese Seite veröffentlicht keine Zählungen.",
    "stored": "Dieses Programm speichert weder Name noch Adresse noch Zeit, aber die Reihenfolge. Gesendetes lässt sich nicht zurücknehmen.",
    "basis": "Was es erlaubt",
    "rights": "Ihre Rechte",
    "age": "Ab welchem Alter",
    "contact": "Wen man fragen kann",
    "script": "Diese Seite und ihr Programm kommen vom Betreiber. Ein unehrlicher könnte Ihnen ein anderes Programm senden; das kann keine Seite ausschließen."
  },
  "coin": {
    "free": "Die Teilnahme ist freiwillig. Keine Antwort und kein Bericht davon verlässt diesen Browser, bevor Sie „Meinen Bericht ziehen und senden“ drücken.",
    "disguise": "Ihr Browser zieht aus Ihren Antworten durch Zufall einen Bericht, einmal. Nur der Bericht verlässt ihn. Ihre Antworten werden weder gesendet noch aufbewahrt. Der Bericht bleibt auf diesem Gerät, bis Sie ihn löschen.",
    "disguiseRest": "Ihr Browser zieht aus Ihren verfremdeten Antworten einmal durch Zufall einen Bericht. Nur der Bericht verlässt ihn, und mit ihm, unverändert, die Antworten auf Fragen, bei denen „Nicht verfremdet“ steht. Ihre verfremdeten Antworten werden weder gesendet noch behalten. Der Bericht bleibt auf diesem Gerät, bis Sie ihn löschen.",
    "bound": "Was ein Bericht verrät, hat eine Grenze, für alle Ihre Antworten zusammen: Sie sehen sie vor der ersten Frage. Eine andere Umfrage fügt ihre eigene hinzu.",
    "boundRest": "Für jemanden, der Ihre offenen Antworten schon kennt, hat eine Grenze, was ein Bericht von den anderen verrät: Sie sehen sie vor der ersten Frage. Eine andere Umfrage fügt ihre eigene hinzu.",
    "title": "Was Ihr Bericht verraten kann",
    "sentence": "Wer auch immer Ihren Bericht liest und was man vorher auch wusste: Die Chancen, die man zweien Ihrer möglichen Antwortbögen gibt, ändern sich höchstens um den Faktor {odds} (Epsilon {epsilon}). Das gilt auch, wo veröffentlichte Zahlen, voneinander abgezogen, einen einzelnen Bericht übrig lassen. Diese Seite hat das aus den Zahlen berechnet, mit denen sie zieht.",
    "sentenceRest": "Für jemanden, der Ihre offenen Antworten schon kennt, ändert Ihr Bericht die Chancen Ihrer anderen Antworten höchstens um den Faktor {odds} (Epsilon {epsilon}). Was Ihre offenen Antworten selbst über die anderen sagen, hat keine Grenze. Diese Seite hat den Faktor aus den Zahlen berechnet, mit denen sie zieht; er gilt auch, wo veröffentlichte Zahlen, voneinander abgezogen, einen einzelnen Bericht übrig lassen.",
    "openTells": "Offen sind Ihre Antworten auf die folgenden Fragen, bei denen „Nicht verfremdet“ steht. Wenn wenige sie teilen oder jemand sie von Ihnen kennt, können sie zeigen, wessen Bericht es ist.",
    "picture": "Wer etwas über Sie für so wahrscheinlich wie nicht hielt, 50%, kommt höchstens auf {low} oder auf {high}.",
    "pictureRest": "Wer Ihre offenen Antworten schon kennt und etwas anderes über Sie für so wahrscheinlich wie nicht hielt, 50%, kommt höchstens auf {low} oder auf {high}.",
    "hardly": "Ab einem Faktor von {limit} nennt diese Seite einen Bericht kaum noch verfremdet: Wer Ihren liest, darf ihn für die Wahrheit halten.",
    "lot": {
      "one": "Von den {all} verfremdeten Fragen dieser Umfrage hat der Zufall in diesem Browser eine für Sie gewählt.",
      "other": "Von den {all} verfremdeten Fragen dieser Umfrage hat der Zufall in diesem Browser diese {n} für Sie gewählt."
    },
    "all": {
      "one": "Diese Umfrage stellt Ihnen ihre einzige Frage.",
      "other": "Diese Umfrage stellt Ihnen alle ihre {all} Fragen."
    },
    "chance": "„{label}“: Ihre eigene Antwort wird {share}-mal von 100 berichtet; wann, entscheidet der Zufall.",
    "practice": "Zur Probe eine Münze werfen (nichts wird gesendet)",
    "tosses": "„{label}“, wenn die Antwort „{value}“ wäre: Sie wird {n}-mal von {times} berichtet. Berichte: {told}",
    "submit": "Meinen Bericht ziehen und senden",
    "notAsked": "nicht gefragt",
    "print": "Fingerabdruck dieser Umfrage: dessen, was sie fragt und angibt, und ihres Kanals. Eine ehrliche Umfrage gibt allen denselben; vergleichen Sie ihn mit Ihrem Brief oder mit anderen:",
    "sending": "Nur der Bericht wird gesendet. Er wird einmal gespeichert, so oft er auch ankommt.",
    "kept": "Inzwischen bleibt der Bericht auf diesem Gerät. Sie können diese Seite schließen, aber dann wird nichts gesendet, bis Sie wiederkommen; danach geht es von selbst weiter. In einem privaten Fenster schließen Sie die Seite nicht: Es vergäße den Bericht.",
    "again": "Nichts ist verloren. Die Seite versucht es von selbst wieder, und jeder Versuch zeigt der Umfrage Ihre Netzadresse. Ist die Umfrage beendet, nimmt niemand den Bericht mehr an: Fragen Sie, wen die Umfrage nennt, oder löschen Sie ihn.",
    "press": "Ein Druck zieht Ihren Bericht und sendet ihn. Ist die Umfrage nicht erreichbar, versucht diese Seite es von selbst wieder, auch wenn Sie wiederkommen, bis der Bericht angekommen ist oder abgelehnt wird. Gesendetes lässt sich nicht zurücknehmen.",
    "arrived": "Ihr Bericht ist angekommen. Er bleibt auf diesem Gerät, bis Sie ihn löschen; die Dateien des Browsers können ihn länger behalten, bis er aufräumt. Ein zweiter Besuch sendet nichts.",
    "before": "Von diesem Gerät wurde ein Bericht gesendet",
    "beforeText": "Er ist angekommen und wird nicht noch einmal gesendet. Bevor hier jemand anders antwortet, löschen Sie ihn von diesem Gerät: Bei der Umfrage bleibt er. Die Dateien des Browsers können Gelöschtes behalten, bis er aufräumt."
  },
  "steps": {
    "here": "Nur auf diesem Gerät",
    "waiting": "Warten auf eine Anfrage, die Sie zulassen",
    "disguised": "Einmal verfremdet",
    "open": "Nicht verfremdet",
    "sent": "Gesendet"
  },
  "stop": {
    "title": "Nicht über diese Verbindung",
    "insecure": "Diese Seite kann Ihre Antworten hier nicht schützen: Der Browser verschlüsselt nur über https oder auf diesem Rechner selbst. Es kann nichts ausgefüllt werden, und es wird nichts gesendet.",
    "noStorage": "Dieser Browser lässt die Seite nichts aufbewahren (IndexedDB fehlt oder ist gesperrt). Ihre Antworten könnten nicht verschlüsselt liegen, bis sie verfremdet sind. Es kann nichts ausgefüllt werden.",
    "uninvited": "Diese Umfrage beantwortet man auf Einladung. Bitte öffnen Sie den ganzen Link, den Sie bekommen haben.",
    "noInvitations": "Ein Teil dieser Seite konnte nicht geladen werden (vendor/blindrsa.js); ohne ihn ließe sich Ihre Antwort mit Ihrem Namen verbinden. Es kann nichts ausgefüllt werden.",
    "noLocks": "Diesem Browser fehlt, was zwei Tabs auseinanderhält (Web Locks); ein Bericht könnte zweimal gezogen werden. Chrome und Edge ab Version 69, Firefox ab 96 und Safari ab 15.4 haben es. Es kann nichts ausgefüllt werden."
  },
  "loading": {
    "title": "Einen Augenblick",
    "text": "Die Umfrage wird nach ihren Fragen gefragt …",
    "noSurvey": "Die Umfrage ist nicht erreichbar. Die Seite versucht es weiter."
  },
  "start": {
    "title": "Zurzeit nimmt die Umfrage Antworten unverändert",
    "text": "Wer jetzt sendet, sendet jede Antwort unverfremdet, genau wie sie gegeben wurde. Sie können das Formular ausfüllen und warten oder später wiederkommen. Ob die Umfrage je weniger verlangt, kann niemand sagen."
  },
  "level": {
    "legend": "Wie viel darf die Umfrage lesen?",
    "help": "Die Umfrage liest Antworten entlang von Richtungen: Das sind gewichtete Summen über alle Fragen. Die Worte sagen, was Versuche mit sechzehn Ja-Nein-Fragen für die am besten lesbaren Antworten ergaben. Andere Fragen sind vielleicht besser lesbar; Ihre Antworten werden vor dem Senden geprüft. Lassen Sie wenige zu, warten Sie vielleicht für immer: In Versuchen war es meist so. Die Zahl selbst wird nicht gesendet. Aber solange Sie warten, kann die Umfrage daraus schließen, dass Sie weniger zulassen, als sie verlangt, und wenn Sie senden, dass Sie so viel zulassen.",
    "number": "{level} von {n} Richtungen",
    "all": "Ihre Antworten werden gesendet, wie sie sind, unverfremdet.",
    "choose": "Bitte wählen Sie, wie viel gelesen werden darf; für Sie ist nichts gewählt.",
    "back": "Wenn Sie lieber warten, laden Sie diese Seite neu und wählen Sie es so.",
    "least": "So wenig wie möglich: eine gewichtete Summe meiner Antworten.",
    "little": "Wenig: Kaum eine Antwort lässt sich viel besser erraten als durch einen Münzwurf.",
    "some": "Einiges: Einige Antworten lassen sich erraten, richtig bei etwa drei von vier Menschen.",
    "fair": "Viel: Mehrere Antworten lassen sich erraten, richtig bei vier von fünf Menschen oder mehr.",
    "most": "Fast alles: Antworten lassen sich erraten, richtig bei neun von zehn Menschen oder mehr."
  },
  "missing": {
    "choice": "Bitte wählen Sie eine Antwort.",
    "number": "Bitte geben Sie eine Zahl ein.",
    "count": {
      "one": "Eine Frage ist noch nicht beantwortet.",
      "other": "{n} Fragen sind noch nicht beantwortet."
    },
    "look": {
      "one": "Bitte sehen Sie sich eine Frage noch einmal an.",
      "other": "Bitte sehen Sie sich {n} Fragen noch einmal an."
    },
    "answer": "Zu „{label}“ gibt es keine gültige Antwort.",
    "unreadable": "Das lässt sich nicht als Zahl lesen. Bitte schreiben Sie Ziffern und, wo es Dezimalen gibt, ein Komma oder einen Punkt.",
    "thousands": "Ein Komma oder Punkt vor drei Ziffern lässt sich auf zwei Arten lesen. Bitte schreiben Sie {whole} oder {fraction}.",
    "least": "Bitte mindestens {least}.",
    "most": "Bitte höchstens {most}.",
    "step": "Bitte in Schritten von {step}: zum Beispiel {near}.",
    "point": ",",
    "readAs": "Gelesen als {number}: {interval}"
  },
  "checking": {
    "title": "Die Umfrage wird gefragt",
    "held": "Ihre Antworten sind nur in dieser Seite. Nichts ist gespeichert. Die Umfrage wird gefragt, wie viele Richtungen sie lesen will …",
    "stored": "Ihre Antworten liegen verschlüsselt auf diesem Gerät. Die Umfrage wird gefragt, wie viele Richtungen sie lesen will …"
  },
  "waiting": {
    "title": "Warten: Die Umfrage verlangt zu viel",
    "asksFor": {
      "one": "Die Umfrage verlangt zurzeit {n} Richtung, Sie lassen {level} zu.",
      "other": "Die Umfrage verlangt zurzeit {n} Richtungen, Sie lassen {level} zu."
    },
    "next": {
      "one": "Nach jeder Antwort fragt sie neu.",
      "other": "Nach je {n} Antworten fragt sie neu. Ob sie dann weniger verlangt, kann niemand sagen."
    },
    "stay": "Inzwischen bleiben Ihre Antworten verschlüsselt auf diesem Gerät. Sie können diese Seite schließen: Dann wird nichts gesendet, und wenn Sie wiederkommen, fragt sie erst.",
    "stayHere": "Inzwischen sind Ihre Antworten nur in dieser Seite: Wenn Sie sie schließen, sind sie weg.",
    "remind": "Morgen erinnern (Kalenderdatei)",
    "remindHelp": "Sie entsteht auf diesem Gerät, und niemand erfährt davon. Ein Lesezeichen auf diese Seite genügt auch. Kommen Sie mit demselben Browser wieder und, wenn Sie eingeladen sind, über Ihren eigenen Link.",
    "declined": "Was die Umfrage jetzt verlangt, wollten Sie nicht senden. Die Seite wartet auf ihre nächste Anfrage.",
    "unreachable": "Die Umfrage ist nicht erreichbar",
    "unreachableText": "Nichts ist verloren, und nichts wurde gesendet. Die Seite versucht es von selbst wieder.",
    "stopped": "Die Seite fragt nicht mehr, damit sie nicht ewig fragt. Drücken Sie „Jetzt fragen“, um fortzufahren.",
    "heldTitle": "Eine Weile zurückgehalten",
    "held": "Die Seite wartet eine zufällige Zeit, damit der Augenblick nicht verrät, wessen Antworten es sind. „Jetzt fragen“ wartet nicht.",
    "asks": "Die Umfrage verlangt",
    "allows": "Sie lassen zu"
  },
  "back": {
    "title": "Ihre Antworten sind noch hier",
    "text": "Die Umfrage verlangt jetzt nicht mehr, als Sie zulassen. Es wurde nichts gesendet. Jetzt senden?"
  },
  "refused": {
    "title": "Abgelehnt",
    "text": "{reason} Es wurde nichts gesendet. Ihre Antworten liegen weiter verschlüsselt auf diesem Gerät.",
    "held": "{reason} Es wurde nichts gesendet. Ihre Antworten sind nur in dieser Seite: Wenn Sie sie schließen, sind sie weg.",
    "rejected": "Die Umfrage hat es nicht angenommen",
    "rejectedText": "{reason} Die Seite hat Ihre Antworten schon gelöscht; was gesendet werden sollte, ist noch hier.",
    "broken": "Diese Seite ist gescheitert: {reason}."
  },
  "rejected": {
    "another_channel": "Die Umfrage hat jetzt einen anderen Kanal als den, mit dem Ihr Bericht gezogen wurde.",
    "bad_token": "Die Umfrage kennt diese Marke nicht als ihre eigene.",
    "token_used": "Diese Marke hat schon für eine andere Einsendung gedient.",
    "epoch_over": "Die Zeit, in der dies gesendet werden konnte, ist vorbei.",
    "bad_invitation": "Diese Einladung wurde nicht für diese Umfrage gemacht.",
    "invitation_used": "Diese Einladung wurde schon eingelöst."
  },
  "warning": {
    "title": "Diese Antworten ließen sich ablesen",
    "text": "Die Umfrage verlangt nicht mehr, als Sie zulassen. Aber die Antworten unten lassen sich aus dem Gesendeten erraten. Diese Seite hat es an erdachten Personen ausprobiert und zählt, wie viele von 100 Versuchen richtig sind; ein Münzwurf trifft bei 50. Trotzdem senden?",
    "open": "Sie haben gewählt, Ihre Antworten unverändert zu senden. Die Umfrage liest sie alle. Senden?",
    "share": "{name}: bei {n} von 100 richtig",
    "everything": "Alle Ihre Antworten",
    "whether": "{label}: ob es „{value}“ ist"
  },
  "sending": {
    "title": "Verfremdet. Wird gesendet …",
    "titleOpen": "Wird gesendet, nicht verfremdet …",
    "text": "Die Seite hat Ihre Antworten gelöscht. Nur ihre Verfremdung, einmal gezogen, wird gesendet.",
    "open": "Ihre Antworten werden gesendet, wie sie sind; so haben Sie es gewählt.",
    "later": "Die Umfrage hat es nicht bestätigt. Die Seite sendet dasselbe von selbst noch einmal; gespeichert wird es nur einmal. Sie können diese Seite schließen und wiederkommen."
  },
  "sent": {
    "title": "Gesendet. Vielen Dank",
    "direct": "Ihre Antworten wurden auf diesem Gerät nie gespeichert, nur was gesendet wurde. Es ist hier gelöscht; die Dateien des Browsers können es behalten, bis er aufräumt.",
    "open": "Ihre Antworten standen auf diesem Gerät, wie sie gesendet wurden. Sie sind hier gelöscht, soweit eine Seite löschen kann. Die Dateien des Browsers können sie behalten, bis er aufräumt; eine alte Kopie der Festplatte behält alles.",
    "waited": "Die verschlüsselten Antworten, die beim Warten auf diesem Gerät lagen, sind gelöscht, soweit eine Seite löschen kann. Die Dateien des Browsers können Spuren behalten, etwa den Schlüssel und was gesendet wurde, bis er aufräumt; eine alte Kopie der Festplatte behält alles.",
    "again": "Wer noch einmal antwortet, sendet ein zweites Mal, und zweimal verrät mehr als einmal.",
    "left": "Alles, was diese Seite verlassen hat",
    "before": "Es wurde gesendet, bevor diese Seite geladen war; was es war, wird nicht aufbewahrt.",
    "ones": "Was die Umfrage bekommen hat",
    "onesHelp": "Eine gefüllte Marke ist eine 1. Der Zufall hat sie verschoben: Eine Frage kann zwei Marken haben oder keine.",
    "class": "Nicht verfremdet: {label}: {value}",
    "onesOpen": "Das sind Ihre Antworten, genau wie Sie sie gegeben haben. Nichts wurde verfremdet.",
    "hash": "Fingerabdruck der Anleitung von Epoche {epoch}. Eine ehrliche Umfrage gibt allen dieselbe; diese Seite kann das nicht prüfen, aber Sie können mit anderen vergleichen:",
    "signer": "Fingerabdruck des Schlüssels, der Ihre Marke unterschrieben hat. Mit einem eigenen Schlüssel für jede Person wüsste die Umfrage, wessen Antwort das ist; alle Eingeladenen sollten also denselben sehen. Vergleichen Sie auch ihn:"
  },
  "forged": {
    "channel": "Der Kanal der Umfrage passt nicht zu diesen Fragen, oder er verrät manche Antworten mit Sicherheit.",
    "epsilon": "Der Kanal der Umfrage verrät mehr, als die Umfrage sagt.",
    "channelHash": "Der Kanal der Umfrage hat nicht den Fingerabdruck, der für ihn veröffentlicht ist.",
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
    "key": "Dem Schlüssel der Umfrage für Einladungen kann diese Seite nicht trauen.",
    "signature": "Die Unterschrift der Umfrage ist falsch: Mit ihr ließe sich Ihre Antwort von anderen unterscheiden.",
    "k": "Die Umfrage hat eine Anleitung für eine andere Zahl von Richtungen gesendet, als sie angekündigt hat.",
    "level": "Die Anleitung liest {k} Richtungen, Sie lassen {level} zu.",
    "rows": "Die Anleitung hat {rows} Zeilen, es gibt {n} Bits.",
    "columns": "Die Anleitung hat nicht die angekündigten {k} Spalten.",
    "finite": "Die Anleitung enthält etwas, das keine endliche Zahl ist.",
    "orthonormal": "Die Spalten der Anleitung sind nicht orthonormal: Sie würde mehr lesen, als sie sagt.",
    "hash": "Die Anleitung ist nicht die, welche die Umfrage für alle veröffentlicht hat.",
    "otherQuestions": "Unter dieser Adresse ist jetzt eine andere Umfrage als bei Ihrem ersten Besuch: Sie fragt oder sagt etwas anderes, oder sie wurde neu begonnen. Ihr Bericht wird nicht an sie gesendet.",
    "text": "Die Seite zeigt etwas anderes, als die Umfrage veröffentlicht: „{text}“."
  },
  "buttons": {
    "later": "Warten, bis sie weniger verlangt",
    "open": "Meine Antworten unverändert senden",
    "level": "Diese Wahl verwenden",
    "go": "Jetzt fragen",
    "again": "Noch einmal versuchen",
    "retry": "Jetzt noch einmal senden",
    "forget": "Meine Antworten löschen",
    "send": "So senden",
    "resume": "Jetzt senden",
    "decline": "Auf eine andere Anfrage warten",
    "discard": "Verwerfen",
    "restart": "Noch einmal antworten",
    "begin": "Beginnen",
    "mine": "Mit der begonnenen weitermachen",
    "somebody": "Ich bin jemand anders: meinen eigenen Link nehmen",
    "show": "Meinen Bericht zeigen",
    "erase": "Diesen Bericht von diesem Gerät löschen"
  },
  "another": {
    "sent": {
      "one": "Ein Bericht mit Epsilon {sum} ist von diesem Gerät an diese Adresse gegangen.",
      "other": "{n} Berichte, zusammen mit Epsilon {sum}, sind von diesem Gerät an diese Adresse gegangen."
    },
    "total": "Wenn es Ihre waren, kommt mit einem weiteren mit Epsilon {epsilon} zusammen {total} heraus: Für jemanden, der Ihre offenen Antworten, falls es welche gibt, schon kennt, ändern sich die Chancen über Sie dann höchstens um den Faktor {odds}. Wenn Sie jemand anders sind, gibt Ihrer nur {epsilon} aus.",
    "guided": "Von diesem Gerät sind Antworten auf eine andere Umfrage an diese Adresse gegangen. Wenn es Ihre waren: Was zwei verfremdete Antworten zusammen verraten, hat keine Grenze."
  },
  "begin": {
    "title": "Bevor Sie beginnen",
    "open": "Bevor Sie „Beginnen“ drücken, wird nichts gezogen, aufbewahrt oder gesendet: Die Seite hat nur die Fragen geholt. Ihre Antworten bleiben hier, bis Sie sie senden.",
    "again": "Das wurde auf diesem Gerät schon begonnen, vielleicht von jemand anderem: Die Fragen sind gezogen, oder die Einladung ist eingetauscht. Keine Antwort wurde behalten oder gesendet. Ihre Antworten bleiben hier, bis Sie sie senden.",
    "text": "„Beginnen“ tauscht Ihre Einladung ein: Die Umfrage weiß dann, dass Sie teilnehmen. Ihre Antworten bleiben hier, bis Sie sie senden.",
    "anew": "Jemand anders? Neu beginnen",
    "hold": "Was Sie senden, wartet eine zufällige Zeit zwischen {least} und {most} Minuten, damit der Augenblick nicht verrät, von wem es ist. Gerechnet wird von „Beginnen“ an, und neu, sooft die Seite geladen wird: Lassen Sie sie so lange offen."
  },
  "whose": {
    "title": "Wessen Einladung ist das?",
    "text": "Auf diesem Gerät wurde eine Einladung begonnen, die noch nicht beantwortet ist. Sie kommen über einen anderen Link. Die begonnene bleibt auf jeden Fall erhalten."
  }
};
