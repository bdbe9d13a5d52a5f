/* Every text that a respondent reads, in English. After the = stands plain JSON, which the server reads, too.
   A translation is a copy named ppdm.LANGUAGE.js with the same keys and the same {placeholders}; "lang" is its
   BCP 47 tag, "dir" its direction, ltr or rtl. Where a text has forms (one, other, ...), {n} chooses by the
   language's own rules (Intl.PluralRules). */
globalThis.ppdmText = {
  "lang": "en",
  "dir": "ltr",
  "page": {
    "promise": "What happens to your answers?",
    "promise1": "They are encrypted and stay on this device until the survey asks for no more than you allow.",
    "promise2": "Then they are disguised by chance, once, so that only a few weighted sums of them can still be read.",
    "promise3": "The answers are deleted. Only the disguise is sent, with the answer to “{label}”, which is not disguised.",
    "promiseShown": "When it is done, the page shows all that left it.",
    "noScript": "This survey disguises your answers in your own browser, which takes JavaScript. It is switched off, so that nothing can be filled in or sent.",
    "answers": "Your answers",
    "choose": "Choose …",
    "classHelp": "This answer is sent as it is.",
    "submit": "Lock and send when allowed",
    "learnt": "What the survey has learnt so far"
  },
  "steps": {
    "locked": "Locked on this device",
    "waiting": "Waiting for a request you allow",
    "disguised": "Disguised once",
    "sent": "Sent"
  },
  "stop": {
    "title": "Not on this connection",
    "insecure": "This page cannot protect your answers here: the browser offers encryption only over https, or on this very machine. Nothing can be filled in, and nothing is sent.",
    "noStorage": "This browser lets the page keep nothing (its IndexedDB is missing or closed), so your answers could not be kept encrypted until they are disguised. Nothing can be filled in."
  },
  "loading": {
    "title": "One moment",
    "text": "Asking the survey for its questions …",
    "noSurvey": "The survey cannot be reached. The page keeps trying."
  },
  "level": {
    "legend": "How much may the survey read?",
    "help": "The survey reads answers along directions: weighted sums over all questions. Allow few, and you may wait until it manages with so few. Your choice stays on this page; the survey never learns it.",
    "number": "{level} of {n} directions",
    "all": "Everything: my answers may be sent as they are.",
    "least": "As little as possible: one weighted sum of my answers.",
    "little": "A little: a few weighted sums; most detail stays with me.",
    "fair": "A fair part of the detail.",
    "most": "Most of the detail."
  },
  "missing": {
    "choice": "Please choose an answer.",
    "number": "Please enter a number.",
    "count": { "one": "One question has no answer yet.", "other": "{n} questions have no answer yet." },
    "answer": "There is no valid answer to “{label}”."
  },
  "waiting": {
    "locked": "Your answers are locked",
    "checking": "They are encrypted on this device. Asking the survey how many directions it wants to read …",
    "title": "Waiting: the survey asks for too much",
    "asksFor": {
      "one": "The survey asks for {n} direction at the moment, you allow {level}. It may manage with fewer as more people answer.",
      "other": "The survey asks for {n} directions at the moment, you allow {level}. It may manage with fewer as more people answer."
    },
    "stay": "Until then your answers stay encrypted on this device. You may close this page and come back.",
    "declined": "You did not want to send under this guidance. Waiting for the survey's next one.",
    "unreachable": "The survey cannot be reached",
    "unreachableText": "Nothing is lost and nothing was sent. The page tries again by itself.",
    "stopped": "The page has stopped asking, so as not to ask for ever. Press “Ask now” to go on.",
    "asks": "The survey asks for",
    "allows": "You allow"
  },
  "refused": {
    "title": "Refused",
    "text": "{reason} Nothing was sent. Your answers are still encrypted on this device.",
    "rejected": "The survey did not take it",
    "rejectedText": "{reason} Your answers are already deleted; their disguise is still here.",
    "broken": "This page failed: {reason}."
  },
  "warning": {
    "title": "These answers could be read",
    "text": "What the survey asks for is within what you allow, but it reads the answers below. This page has tried it on made-up people, and on some who answer much like you: of 100 of them, so many would have the answer guessed right from what is sent. Tossing a coin is right for 50. Send all the same?",
    "share": "{name}: right for {n} of 100",
    "everything": "All your answers",
    "whether": "{label}: whether it is “{value}”"
  },
  "sending": {
    "title": "Disguised. Sending …",
    "text": "Your answers are deleted. Only their disguise, drawn once, is being sent.",
    "later": "The survey did not confirm. The page sends the same disguise again by itself; it is stored only once. You may close this page and come back."
  },
  "sent": {
    "title": "Sent. Thank you",
    "text": "Your answers are deleted from this device, and so is their disguise now that it has arrived. To answer again is to send a second disguise, and two tell more than one.",
    "left": "All that left this page",
    "before": "It was sent before this page was loaded; what it was is not kept.",
    "ones": "What the survey got",
    "onesHelp": "A filled mark is a 1. Chance has moved them: a question may have two marks, or none.",
    "hash": "Fingerprint of the guidance of epoch {epoch}, the same for everyone:"
  },
  "forged": {
    "unreadable": "The survey's answer cannot be read.",
    "protocol": "The survey speaks another version of the protocol.",
    "form": "The page has no question named “{name}”.",
    "questions": "The survey has changed its questions since you answered.",
    "inquiry": "The survey announced something that is no epoch and no number of directions.",
    "twoLevels": "The survey announced two different numbers of directions for epoch {epoch}: an honest one keeps to one.",
    "published": "What the survey published about this epoch does not fit what it announced.",
    "twoHashes": "The survey published two different fingerprints for the guidance of epoch {epoch}: either it was begun anew, or it does not treat everyone alike.",
    "epoch": "The survey sent the guidance of another epoch than it announced.",
    "token": "The survey sent no token.",
    "k": "The survey sent a guidance for another number of directions than it announced.",
    "level": "The guidance reads {k} directions, you allow {level}.",
    "rows": "The guidance has {rows} rows, there are {n} bits.",
    "columns": "The guidance does not have the announced {k} columns.",
    "finite": "The guidance holds something that is no finite number.",
    "orthonormal": "The guidance's columns are not orthonormal: it would read more than it says.",
    "hash": "The guidance is not the one that the survey published for everyone."
  },
  "buttons": {
    "level": "Use this level",
    "go": "Ask now",
    "again": "Try again",
    "retry": "Send again now",
    "forget": "Delete my answers",
    "send": "Send them",
    "decline": "Wait for another request",
    "discard": "Discard",
    "restart": "Answer again"
  }
};
