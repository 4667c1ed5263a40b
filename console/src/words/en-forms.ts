import { counted, durationText, number, sizeText } from './en-numbers.ts'

/** The texts of forms, and of what they begin, in English. */
export const forms = {
  form: {
    create: (noun: string) => `New ${noun}`,
    edit: (name: string) => `Edit ${name}`,
    required: 'required',
    optional: (names: readonly string[]) => `More fields: ${[...new Set(names)].join(', ')}`,
    unchanged: 'Nothing has changed',
    faults: (n: number) => `${counted(n, 'field needs', 'fields need')} your attention`,
    isRequired: 'A value is required.',
    tooShort: (n: number) => `At least ${counted(n, 'character', 'characters')}.`,
    tooLong: (n: number) => `At most ${counted(n, 'character', 'characters')}.`,
    tooSmall: (n: number) => `At least ${number.format(n)}.`,
    tooLarge: (n: number) => `At most ${number.format(n)}.`,
    notNumber: 'A number is required.',
    notInteger: 'A whole number is required.',
    notPattern: 'The value does not have the required form.',
    notJson: 'This is not valid JSON.',
    notTime: 'A time is required, such as 2026-01-31T09:30:00Z.',
    none: '(none)',
    usual: (choice: string) => `(usual: ${choice})`,
    body: 'Content, as JSON',
    example: (text: string) => `For example ${text}`,
    refersTo: (type: string) => `The id of an object of the type ${type}.`,
  },

  money: {
    amounts: 'Amounts by currency',
    amountIn: (currency: string) => `Amount in ${currency}`,
    includesTax: 'includes tax',
    add: 'Add a currency',
    remove: (currency: string) => `Remove ${currency}`,
    smallestUnit: 'in the smallest unit',
    wrong: 'An amount is required, with no more digits after the point than the currency has.',
  },

  fields: {
    add: 'Add',
    remove: 'Remove',
    name: 'Name',
    part: (n: number) => number.format(n),
    removePart: (name: string | number) => `Remove ${name}`,
    twice: 'Another value has this name.',
    faultIn: (n: number, field: string, fault: string) => `${number.format(n)}, ${field}: ${fault}`,
    onePerLine: 'One on each line.',
  },

  upload: {
    start: 'Upload',
    another: 'Upload a file',
    stop: 'Stop the upload',
    stopped: 'The upload was stopped.',
    progress: 'Upload',
    sent: (part: number) => `${number.format(Math.round(part * 100))} % sent`,
    waiting: 'Everything is sent. Waiting for the server …',
    size: (bytes: number) => sizeText(bytes),
    preview: (name: string) => `Preview of ${name}`,
    open: (name: string) => `Open ${name}`,
  },

  job: {
    about: {
      waiting: 'The job waits for its turn.',
      running: 'The job is at work.',
      done: 'The job has succeeded.',
      failed: 'The job has failed.',
      cancelled: 'The job was cancelled.',
    },
    progress: 'Progress of the job',
    parts: (done: number, of: number) => `${number.format(done)} of ${number.format(of)}`,
    pace: (perSecond: number, secondsLeft: number) =>
      `${number.format(Number(perSecond.toPrecision(2)))} a second, about ${durationText(secondsLeft)} left`,
    show: 'Show the job',
    leave: 'It goes on when you close this window.',
    file: (n: number) => `File ${number.format(n)}`,
    errors: (n: number) => counted(n, 'error', 'errors'),
    moreErrors: (n: number) => `The job has ${number.format(n)} more.`,
    place: 'Where',
    message: 'What is wrong',
  },

  picker: {
    search: (nouns: string) => `Search ${nouns}`,
    nothing: 'Nothing is found.',
    choose: 'Choose one of the list.',
    remove: (id: string) => `Remove ${id}`,
  },

  draft: {
    about: 'You typed something here and did not save it:',
    restore: 'Restore it',
    discard: 'Discard it',
    kept: 'Draft kept',
    title: 'Drafts',
    all: (n: number) => `Drafts: ${number.format(n)}`,
    listAbout: 'What you typed in this browser and did not save. It is kept for seven days.',
    none: 'There are no drafts',
    noneAbout: 'What you type into a form is kept here until you save it.',
    what: 'Form',
    when: 'Typed',
    fields: 'Fields',
    action: (action: string, name: string) => `${action}, at ${name}`,
    drop: 'Discard',
    discardOne: (title: string) => `Discard ${title}`,
  },

  conflict: {
    meanwhile: (who: string, when: string) =>
      `${who} saved this at ${when}, while you change it. When you save, your changes are put together with theirs; where you both changed a field, you choose.`,
    meanwhileUnknown:
      'Somebody saved this while you change it. When you save, your changes are put together with theirs; where you both changed a field, you choose.',
    title: 'Somebody has changed this too',
    about: (who: string, when: string) =>
      `${who} saved it at ${when}. Choose what to keep of each field that you both changed.`,
    aboutUnknown:
      'It was saved after you opened it. Choose what to keep of each field that you both changed.',
    field: 'Field',
    yours: 'Yours',
    theirs: 'Theirs',
    before: 'Before',
    keep: 'Save with these values',
    gone: 'It was deleted while you changed it.',
  },
}
