/* Every text that a respondent reads, in English. After the = stands plain JSON, which the server reads, too.
   A translation is a copy named ppdm.LANGUAGE.js with the same keys and the same {placeholders}; "lang" is its
   BCP 47 tag, "dir" its direction, ltr or rtl. Where a text has forms (one, other, ...), {n} chooses by the
   language's own rules (Intl.PluralRules). */
globalThis.ppdmText = {
  "lang": "en",
  "dir": "ltr",
  "page": {
    "noScript": "This survey disguises your answers in your own browser, which takes JavaScript. It does not run yet, so that nothing can be filled in or sent. If this line stays, load the page again, or switch JavaScript on.",
    "answers": "Your answers",
    "choose": "Choose …",
    "noAnswer": "No answer",
    "mayBeEmpty": "May be left empty.",
    "notDisguised": "Not disguised, sent as it is: {label}",
    "research": "This method is here for research and demonstrations. In simulations of four questionnaires with 300 people each, 27 to 79 of 100 were ever asked for as little as they allow. What was learnt told the open answer right for 60 to 63 of 100; always naming the more frequent one is right for 60. What is sent has no bound on what it tells about you.",
    "submit": "Lock and send when allowed",
    "submitOpen": "Send my answers as they are",
    "learnt": "What the survey has learnt so far",
    "open": "Anybody can answer here, as often as they like. Whoever sends nearly all answers of a batch can work out the disguise of the others from the counts.",
    "invited": "This survey is answered by invitation; each invitation is good for one answer. When you press “Begin”, your browser exchanges yours for a token that the survey signs without seeing it. So the survey learns that you took part, and not which report is yours. Your network address could still tell, or the time, if few others answer then.",
    "openFew": "So could the answers that are not disguised, where few people share them.",
    "openLast": "Of the answers that are not disguised no counts are shown before the survey ends: whoever sends nearly all answers of a batch would read the others. Once it has ended, counts are shown by group: whoever has sent nearly all answers of a group can work out the disguise of the others in it.",
    "notApplicable": "Does not apply"
  },
  "consent": {
    "title": "Before you answer",
    "who": "Who asks",
    "why": "What for",
    "keeps": "Kept for how long",
    "unnamed": "The operator has not said.",
    "free": "Taking part is voluntary. Until it is sent you can stop: close the page. Where you waited, press “Delete my answers”.",
    "disguise": "Your browser disguises your answers by chance and sends that disguise, once. It still tells something about you: you choose how much. You may have to wait.",
    "open": "Its first epoch takes whole records as they are. It tells you first; you can wait.",
    "class": "Your answer to “{label}” is always sent as it is.",
    "public": "Only counts over many people are public.",
    "closed": "The operator sees each submission; this page publishes no counts.",
    "stored": "This program stores neither name, address nor time, but the order of arrival. What was sent cannot be taken back.",
    "basis": "What allows it",
    "rights": "Your rights",
    "age": "From which age",
    "contact": "Whom to ask",
    "script": "This page and its program come from the operator. A dishonest one could send you another program, which no page can rule out."
  },
  "coin": {
    "free": "Taking part is voluntary. No answer, and no report of one, leaves this browser before you press “Draw my report and send it”.",
    "disguise": "Your browser draws a report from your answers by chance, once. Only the report leaves it. Your answers are neither sent nor kept. The report stays on this device until you delete it.",
    "disguiseRest": "Your browser draws a report from your disguised answers by chance, once. Only the report leaves it, and with it, as they are, the answers to questions marked “Not disguised”. Your disguised answers are neither sent nor kept. The report stays on this device until you delete it.",
    "bound": "What a report tells has one bound, for all your answers: you see it before the first question. Another survey adds its own.",
    "boundRest": "For somebody who knows your open answers already, what a report tells of the others has one bound: you see it before the first question. Another survey adds its own.",
    "title": "What your report can tell",
    "sentence": "Whoever reads your report, and whatever they knew before: the odds they give to any two sets of answers of yours change by a factor of {odds} at most (epsilon {epsilon}). That holds also where published counts, one less another, leave a single report. This page has computed it from the numbers that it draws with.",
    "sentenceRest": "For somebody who knows your open answers already, your report changes the odds of your other answers by a factor of {odds} at most (epsilon {epsilon}). What your open answers themselves say about the others has no bound. This page has computed the factor from the numbers that it draws with; it holds also where published counts, one less another, leave a single report.",
    "openTells": "Open are your answers to the questions below, which are marked “Not disguised”. If few people share them, or somebody knows them of you, they may show whose report it is.",
    "picture": "Whoever held something about you for as likely as not, 50%, can be moved to {low} or to {high} at most.",
    "pictureRest": "Whoever knows your open answers already, and held something else about you for as likely as not, 50%, can be moved to {low} or to {high} at most.",
    "hardly": "This page calls a factor of {limit} or more hardly a disguise: whoever reads your report may take it for the truth.",
    "lot": {
      "one": "Of the {all} disguised questions of this survey chance has chosen one for you, in this browser.",
      "other": "Of the {all} disguised questions of this survey chance has chosen these {n} for you, in this browser."
    },
    "all": {
      "one": "This survey asks you its only question.",
      "other": "This survey asks you all of its {all} questions."
    },
    "chance": "“{label}”: your own answer is told {share} times of 100, and chance decides when.",
    "practice": "Toss a practice coin (nothing is sent)",
    "tosses": "“{label}”, if the answer were “{value}”: it is told {n} times of {times}. Reports: {told}",
    "submit": "Draw my report and send it",
    "notAsked": "not asked",
    "print": "Fingerprint of this survey, of what it asks and states and of its channel. An honest survey gives everyone the same; compare it with your letter, or with others:",
    "sending": "Only the report is being sent. It is stored once, however often it arrives.",
    "kept": "Meanwhile the report stays on this device. You may close this page, but then nothing is sent until you come back to it; it then goes on by itself. In a private window do not close the page: it would forget the report.",
    "again": "Nothing is lost. The page tries again by itself, and each try shows the survey your network address. If the survey has ended, nobody takes the report any more: ask whom the survey names, or delete it.",
    "press": "One press draws your report and sends it. If the survey cannot be reached, this page tries again by itself, also when you come back, until the report has arrived or is refused. What was sent cannot be taken back.",
    "arrived": "Your report has arrived. It stays on this device until you delete it; the browser's own files may keep it longer, until it tidies them up. A second visit sends nothing.",
    "before": "A report has been sent from this device",
    "beforeText": "It has arrived, and is not sent again. Before somebody else answers here, delete it from this device: with the survey it stays. The browser's own files may keep what is deleted until it tidies them up."
  },
  "steps": {
    "here": "Only on this device",
    "waiting": "Waiting for a request you allow",
    "disguised": "Disguised once",
    "open": "Not disguised",
    "sent": "Sent"
  },
  "stop": {
    "title": "Not on this connection",
    "insecure": "This page cannot protect your answers here: the browser offers encryption only over https, or on this very machine. Nothing can be filled in, and nothing is sent.",
    "noStorage": "This browser lets the page keep nothing (its IndexedDB is missing or closed), so your answers could not be kept encrypted until they are disguised. Nothing can be filled in.",
    "uninvited": "This survey is answered by invitation. Please open the whole link that you were sent.",
    "noInvitations": "A part of this page could not be loaded (vendor/blindrsa.js); without it your answer would be joined with your name. Nothing can be filled in.",
    "noLocks": "This browser lacks what keeps two tabs apart (Web Locks), so that a report could be drawn twice. Chrome and Edge from version 69, Firefox from 96 and Safari from 15.4 have it. Nothing can be filled in."
  },
  "loading": {
    "title": "One moment",
    "text": "Asking the survey for its questions …",
    "noSurvey": "The survey cannot be reached. The page keeps trying."
  },
  "start": {
    "title": "At the moment the survey takes answers as they are",
    "text": "Whoever sends now sends every answer undisguised, exactly as it was given. You can fill in the form and wait, or come back later. Whether the survey ever asks for less nobody can say."
  },
  "level": {
    "legend": "How much may the survey read?",
    "help": "The survey reads answers along directions: weighted sums over all questions. The words are what trials with sixteen questions of yes or no found for the answers read best. Other questions may be read better; yours are tested before anything is sent. Allow few, and you may wait for ever: in trials most did. The number itself is not sent. But as long as you wait, the survey can tell that you allow fewer than it asks for, and once you send, that you allow as many.",
    "number": "{level} of {n} directions",
    "all": "Your answers will be sent as they are, undisguised.",
    "choose": "Please choose how much may be read; nothing is chosen for you.",
    "back": "If you would rather wait, load this page again and choose so.",
    "least": "As little as possible: one weighted sum of my answers.",
    "little": "Little: hardly any answer can be guessed much better than by tossing a coin.",
    "some": "Some: a few answers can be guessed, right for about three in four people.",
    "fair": "Much: several answers can be guessed, right for four in five people or more.",
    "most": "Nearly all: answers can be guessed, right for nine in ten people or more."
  },
  "missing": {
    "choice": "Please choose an answer.",
    "number": "Please enter a number.",
    "count": {
      "one": "One question has no answer yet.",
      "other": "{n} questions have no answer yet."
    },
    "look": {
      "one": "One question needs another look.",
      "other": "{n} questions need another look."
    },
    "answer": "There is no valid answer to “{label}”.",
    "unreadable": "This cannot be read as a number. Please write digits, with one comma or one point where there are decimals.",
    "thousands": "A comma or point before three digits can be read in two ways. Please write {whole} or {fraction}.",
    "least": "At least {least}, please.",
    "most": "At most {most}, please.",
    "step": "In steps of {step}, please: {near}, for example.",
    "point": ".",
    "readAs": "Read as {number}: {interval}"
  },
  "checking": {
    "title": "Asking the survey",
    "held": "Your answers are in this page only. Nothing is stored. Asking the survey how many directions it wants to read …",
    "stored": "Your answers are encrypted on this device. Asking the survey how many directions it wants to read …"
  },
  "waiting": {
    "title": "Waiting: the survey asks for too much",
    "asksFor": {
      "one": "The survey asks for {n} direction at the moment, you allow {level}.",
      "other": "The survey asks for {n} directions at the moment, you allow {level}."
    },
    "next": {
      "one": "After each answer it asks anew.",
      "other": "It asks anew after every {n} answers. Whether it then asks for less nobody can say."
    },
    "stay": "Meanwhile your answers stay encrypted on this device. You may close this page: nothing is sent then, and when you come back it asks you first.",
    "stayHere": "Meanwhile your answers are in this page only: if you close it, they are gone.",
    "remind": "Remind me tomorrow (calendar file)",
    "remindHelp": "It is made on this device, and nobody is told. A bookmark of this page does as well. Come back with this same browser, and if you were invited, by your own link.",
    "declined": "You did not want to send what the survey asks for now. Waiting for its next request.",
    "unreachable": "The survey cannot be reached",
    "unreachableText": "Nothing is lost and nothing was sent. The page tries again by itself.",
    "stopped": "The page has stopped asking, so as not to ask for ever. Press “Ask now” to go on.",
    "heldTitle": "Held back for a while",
    "held": "The page waits for a random time, so that the moment does not tell whose answers these are. “Ask now” does not wait.",
    "asks": "The survey asks for",
    "allows": "You allow"
  },
  "back": {
    "title": "Your answers are still here",
    "text": "The survey now asks for no more than you allow. Nothing has been sent. Send them now?"
  },
  "refused": {
    "title": "Refused",
    "text": "{reason} Nothing was sent. Your answers are still encrypted on this device.",
    "held": "{reason} Nothing was sent. Your answers are in this page only: if you close it, they are gone.",
    "rejected": "The survey did not take it",
    "rejectedText": "{reason} The page has deleted your answers already; what was to be sent is still here.",
    "broken": "This page failed: {reason}."
  },
  "rejected": {
    "another_channel": "The survey has another channel now than the one your report was drawn by.",
    "bad_token": "The survey does not know this token as its own.",
    "token_used": "This token has served for another submission.",
    "epoch_over": "The time in which this could be sent is over.",
    "bad_invitation": "This invitation was not made for this survey.",
    "invitation_used": "This invitation has been used already."
  },
  "warning": {
    "title": "These answers could be read",
    "text": "The survey asks for no more than you allow. But the answers below can be guessed from what is sent. This page has tried it on made-up people: it counts the right guesses of 100, where tossing a coin has 50. Send all the same?",
    "open": "You have chosen to send your answers as they are. The survey reads all of them. Send?",
    "share": "{name}: right for {n} of 100",
    "everything": "All your answers",
    "whether": "{label}: whether it is “{value}”"
  },
  "sending": {
    "title": "Disguised. Sending …",
    "titleOpen": "Sending, not disguised …",
    "text": "The page has deleted your answers. Only their disguise, drawn once, is being sent.",
    "open": "Your answers are being sent as they are, as you have chosen.",
    "later": "The survey did not confirm. The page sends the same again by itself; it is stored only once. You may close this page and come back."
  },
  "sent": {
    "title": "Sent. Thank you",
    "direct": "Your answers were never stored on this device, only what was sent. It is deleted here; the browser's own files may keep it until it tidies them up.",
    "open": "Your answers stood on this device as they were sent. They are deleted here, as far as a page can delete. The browser's own files may keep them until it tidies them up; an old copy of the disk keeps everything.",
    "waited": "The encrypted answers that this device kept while you waited are deleted, as far as a page can delete. The browser's own files may keep traces, such as the key and what was sent, until it tidies them up; an old copy of the disk keeps everything.",
    "again": "To answer again is to send a second time, and two tell more than one.",
    "left": "All that left this page",
    "before": "It was sent before this page was loaded; what it was is not kept.",
    "ones": "What the survey got",
    "onesHelp": "A filled mark is a 1. Chance has moved them: a question may have two marks, or none.",
    "class": "Not disguised: {label}: {value}",
    "onesOpen": "These are your answers, exactly as you gave them. Nothing was disguised.",
    "hash": "Fingerprint of the guidance of epoch {epoch}. An honest survey gives everyone the same; this page cannot check that, but you can compare with others:",
    "signer": "Fingerprint of the key that signed your token. With a key for each person the survey could tell whose answer this is, so all who were invited should see the same one. Compare it, too:"
  },
  "forged": {
    "channel": "The survey's channel is none for these questions, or it tells some answers for certain.",
    "epsilon": "The survey's channel tells more than the survey says.",
    "channelHash": "The survey's channel does not have the fingerprint that was published for it.",
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
    "key": "The survey's key for invitations is none that this page trusts.",
    "signature": "The survey's signature is wrong: with it your answer could be told from others.",
    "k": "The survey sent a guidance for another number of directions than it announced.",
    "level": "The guidance reads {k} directions, you allow {level}.",
    "rows": "The guidance has {rows} rows, there are {n} bits.",
    "columns": "The guidance does not have the announced {k} columns.",
    "finite": "The guidance holds something that is no finite number.",
    "orthonormal": "The guidance's columns are not orthonormal: it would read more than it says.",
    "hash": "The guidance is not the one that the survey published for everyone.",
    "otherQuestions": "At this address there is now another survey than on your first visit: it asks or states something else, or it was begun anew. Your report is not sent to it.",
    "text": "The page shows something else than the survey publishes: “{text}”."
  },
  "buttons": {
    "later": "Wait until it asks for less",
    "open": "Send my answers as they are",
    "level": "Use this level",
    "go": "Ask now",
    "again": "Try again",
    "retry": "Send again now",
    "forget": "Delete my answers",
    "send": "Send them",
    "resume": "Send them now",
    "decline": "Wait for another request",
    "discard": "Discard",
    "restart": "Answer again",
    "begin": "Begin",
    "mine": "Go on with the one that was begun",
    "somebody": "I am somebody else: use my own link",
    "show": "Show my report",
    "erase": "Delete this report from this device"
  },
  "another": {
    "sent": {
      "one": "A report of epsilon {sum} has gone from this device to this address.",
      "other": "{n} reports, of epsilon {sum} together, have gone from this device to this address."
    },
    "total": "If they were yours, another one of epsilon {epsilon} makes {total} together: for somebody who knows your open answers already, where there are any, the odds about you then change by a factor of {odds} at most. If you are somebody else, yours spends {epsilon} alone.",
    "guided": "Answers to another survey have gone from this device to this address. If they were yours: what two disguised answers tell together has no bound."
  },
  "begin": {
    "title": "Before you begin",
    "open": "Before you press “Begin”, nothing is drawn, kept or sent: the page has only fetched the questions. Your answers stay here until you send them.",
    "again": "This was begun before on this device, perhaps by somebody else: its questions are drawn, or its invitation is exchanged. No answer has been kept or sent. Your answers stay here until you send them.",
    "text": "“Begin” exchanges your invitation: the survey then knows that you take part. Your answers stay here until you send them.",
    "anew": "Somebody else? Begin anew",
    "hold": "What you send waits a random time between {least} and {most} minutes, so that the moment does not tell whose it is. It is counted from “Begin”, and anew whenever the page is loaded: leave it open so long."
  },
  "whose": {
    "title": "Whose invitation is this?",
    "text": "An invitation has been begun on this device and is not answered yet. You come by another link. The one that was begun is kept in any case."
  }
};
