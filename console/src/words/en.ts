const number = new Intl.NumberFormat('en')

const rules = new Intl.PluralRules('en')

/** A count with its noun: "1 account", "1,000 accounts". */
const counted = (n: number, one: string, many: string) =>
  `${number.format(n)} ${rules.select(n) === 'one' ? one : many}`

/** Every text of the console in English. */
export const en = {
  language: 'en',
  product: 'Sutler',
  number: (n: number) => number.format(n),
  decimalPoint: '.',
  /** A decimal as a text, with all of its digits. */
  decimals: (text: string, digits: number) =>
    new Intl.NumberFormat('en', { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(
      text as `${number}`,
    ),
  noValue: 'No value',
  yes: 'Yes',
  no: 'No',
  cancel: 'Cancel',
  close: 'Close',
  save: 'Save',
  remove: 'Delete',
  edit: 'Edit',
  add: 'Add',
  copy: 'Copy',
  copied: 'Copied',
  retry: 'Try again',
  loading: 'Loading …',

  signIn: {
    title: 'Sign in',
    about: {
      colleague: 'With the email address and the password that you have in this store.',
      key: 'With an application key of the store. It stays in the memory of this tab.',
    },
    use: { colleague: 'Use my email address', key: 'Use an application key' },
    clientId: 'Client id',
    clientSecret: 'Client secret',
    email: 'Email address',
    password: 'Password',
    newPassword: 'New password',
    store: 'Store: its id, or the prefix of its merchant realm',
    submit: 'Sign in',
    refusedKey: 'The server does not know this key: check the client id and the secret.',
    refusedColleague:
      'The email address or the password is not right. A Store Admin can send you a new link.',
    ended: 'Your session has ended. Sign in to go on; what you typed is still here.',
    out: 'Sign out',
    banner: {
      key: (clientId: string, _role?: string) =>
        `Signed in as key ${clientId}: the audit will show the key, not you.`,
      colleague: (email: string, role?: string) => `${email} (${role})`,
    },
    welcome: 'Welcome',
    welcomeAbout: 'Choose your password: at least 12 characters, such as four words. The link works once.',
    submitWelcome: 'Set it and sign in',
    refusedWelcome: 'The link is not valid, or it has been used. Ask a Store Admin for another one.',
  },

  shell: {
    skip: 'Skip to the content',
    screens: 'Screens',
    home: 'All resources',
    homeAbout: 'Every resource of the API, by its group.',
    find: 'Find a screen',
    findHint: 'Ctrl K',
    findNone: 'No screen has this name.',
    more: 'More',
    nowhere: 'There is no such screen',
    nowhereAbout: 'The address leads to no resource of this store.',
  },

  list: {
    total: (n: number, [one, many]: readonly [one: string, many: string]) => counted(n, one, many),
    count: (n: number) => `${number.format(n)} on this page`,
    create: 'New',
    columns: 'Columns',
    page: (n: number, of: number) => `Page ${number.format(n)} of ${number.format(of)}`,
    goTo: 'Go to page',
    go: 'Go',
    previous: 'Previous',
    next: 'Next',
    perPage: 'Rows per page',
    select: (name: string) => `Select ${name}`,
    selectPage: 'Select all rows of this page',
    selected: (n: number, elsewhere: number) =>
      `${number.format(n)} selected${elsewhere ? `, ${number.format(elsewhere)} not on this page` : ''}`,
    showSelected: 'Show them',
    copyIds: 'Copy ids',
    clear: 'Clear selection',
    sortBy: (name: string) => `Sort by ${name}`,
    curl: 'As curl',
    json: 'As JSON',
    ascending: 'ascending',
    descending: 'descending',
    empty: 'There is nothing here yet',
    emptyAbout: 'New objects will appear in this list.',
    beyond: 'The list has no such page',
    beyondAbout: 'It ends before. Go to another page.',
    noMatch: 'Nothing matches the filter',
    noMatchAbout: 'Change the filter, or remove it.',
    noRight: 'You may not see this list',
    noRightAbout: 'The key that you use lacks the right to read it. Ask an administrator of the store.',
    failed: 'The list could not be loaded',
    noAnswer: 'The server does not respond. Your connection, or the server, may be down.',
  },

  filter: {
    label: 'Filter',
    placeholder: 'eq(name,value):gt(created_at,2026-01-01)',
    apply: 'Apply',
    field: 'Field',
    operator: 'Operator',
    value: 'Value',
    title: 'Add a filter',
    clear: 'Remove the filter',
    removeTerm: (term: string) => `Remove ${term}`,
    operators: {
      eq: 'is',
      in: 'is one of',
      like: 'is like (* matches anything)',
      ilike: 'is like, in any case',
      gt: 'is greater than',
      ge: 'is at least',
      lt: 'is less than',
      le: 'is at most',
      is_null: 'is empty',
      contains: 'contains',
      contains_any: 'contains any of',
      contains_all: 'contains all of',
      text: 'has the words',
    } satisfies Readonly<Record<string, string>> as Readonly<Record<string, string>>,
  },

  record: {
    fields: 'Fields',
    related: 'Belongs to it',
    confirmTitle: (name: string) => `Delete ${name}?`,
    confirmAbout: 'It cannot be brought back.',
    changed: 'Somebody has changed it since you opened it. Look at it again before you delete it.',
    version: 'Version',
    failed: 'The object could not be loaded',
    gone: 'There is no such object',
    goneAbout: 'It may have been deleted.',
  },

  form: {
    create: (title: string) => `New: ${title}`,
    edit: (name: string) => `Edit ${name}`,
    required: 'required',
    optional: 'More fields',
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

  picker: {
    search: (nouns: string) => `Search ${nouns}`,
    nothing: 'Nothing is found.',
    remove: (id: string) => `Remove ${id}`,
  },

  conflict: {
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

export type Words = typeof en
