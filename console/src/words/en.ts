import { forms } from './en-forms.ts'
import { counted, number } from './en-numbers.ts'

/** Every text of the console in English. */
export const en = {
  language: 'en',
  direction: 'ltr' as 'ltr' | 'rtl',
  product: 'Sutler',
  number: (n: number) => number.format(n),
  decimalPoint: '.',
  thousandsSeparator: ',',
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
    ended: (name: string) =>
      `${name ? `The session of ${name} has ended.` : 'Your session has ended.'} Sign in to go on; what you typed is still here.`,
    otherPerson: (name: string) =>
      `This screen belongs to ${name}, and you would sign in as somebody else. Sign in as ${name}, or open the console in another tab.`,
    or: 'or',
    continueWith: (provider: string) => `Continue with ${provider}`,
    useCode: 'Send me a code by mail',
    usePassword: 'Use my password',
    sendCode: 'Send the code',
    codeSent: (username: string) =>
      `If ${username} may sign in here, a code is on its way. It is valid for ten minutes.`,
    code: 'Code',
    refusedCode: 'The code is not right, or it is too old. Request another one.',
    back: 'Back',
    failures: {
      unknown: () =>
        'This sign-in did not begin in this tab, or it has finished already. Nobody was signed in. Begin again.',
      declined: () =>
        'The provider has not signed you in, or you may not sign in here, or your invitation has ended. Try again, or ask a Store Admin for an invitation.',
      late: () => 'The sign-in took too long, or it was finished already. Begin again.',
      away: () => 'The provider does not respond. Try again in a moment.',
      failed: () => 'The provider refused the sign-in. Ask a Store Admin to check its settings.',
      insecure: () => 'A sign-in with a provider needs https. Open the console at an address with https.',
      elsewhere: (origin: string) =>
        `The provider leads back to ${origin}, which is not this address. Open the console there.`,
      blocked: () =>
        'The browser has blocked the window of the provider. Allow windows of this page, and try again.',
    } satisfies Readonly<Record<string, (origin: string) => string>>,
    inWindow: 'You are signed in',
    inWindowAbout: 'Close this window. The console goes on where you were.',
    otherInWindow: (own: string) => `You are signed in as ${own}`,
    otherInWindowAbout: (person: string, own: string) =>
      `The screen behind this window belongs to ${person}, and does not go on as ${own}. Sign out at the provider, close this window, and sign in as ${person}. What was typed is still there.`,
    out: 'Sign out',
    banner: {
      key: (clientId: string, _role?: string) =>
        `Signed in as key ${clientId}: the audit will show the key, not you.`,
      colleague: (email: string, role?: string) => `${email} (${role})`,
    },
    welcome: 'Welcome',
    welcomeAbout: 'Choose your password: at least 12 characters, such as four words. The link works once.',
    welcomeFirst:
      'You are the first colleague, and become the Store Admin. Choose a password of at least 12 characters, such as four words.',
    name: 'Name',
    submitWelcome: 'Set it and sign in',
    refusedWelcome:
      'The link is not valid: it is too old, was used or revoked, or a newer one replaced it. Ask a Store Admin for another one.',
    refusedFirst:
      'The link is not valid: it is too old, or the store has a colleague already. Whoever runs the server can make another one.',
  },

  password: {
    title: 'Change your password',
    about: 'At least 12 characters, such as four words. You are signed out everywhere else.',
    current: 'Current password',
    next: 'New password',
    submit: 'Change it',
    done: 'Your password has been changed. All your other sign-ins have ended.',
    sessions: 'Where you are signed in',
  },

  secret: {
    title: 'Copy it now',
    sent: 'The invitation is sent',
    about: 'It is shown only once: nobody can read it again.',
    link: 'The link for your colleague. It works once, within three days.',
    client_secret: 'The client secret of the key.',
    mailed: (email: string) => `The link is on its way to ${email}. It works once, within three days.`,
    stored: 'I have stored it',
  },

  shell: {
    skip: 'Skip to the content',
    screens: 'Screens',
    home: 'All resources',
    homeAbout: 'Every resource of the API, by its group.',
    find: 'Find',
    findAbout: 'A screen, an action, or an object by its id, name, SKU or email address',
    findHint: 'Ctrl K',
    findNone: 'Nothing has been found.',
    finding: 'Looking for objects …',
    found: (n: number) => counted(n, 'result', 'results'),
    actionsHere: 'Action of this screen',
    keys: 'Keys',
    keysHint: '?',
    goTo: (title: string) => `Go to ${title}`,
    settings: 'Settings of the console',
    language: 'Language',
    saveForm: 'Save the form',
    times: (zone: string, isOfStore: boolean) =>
      isOfStore
        ? `Times are those of the store, in ${zone}.`
        : `Times are those of this browser, in ${zone}. The store has no time zone.`,
    more: 'More',
    nowhere: 'There is no such screen',
    nowhereAbout: 'The address leads to no resource of this store.',
  },

  areas: {
    ...{ sell: 'Sell', build: 'Build', settings: 'Settings' },
    ...{ customApis: 'Custom APIs', flows: 'Entries of flows', openPayments: 'Open payments' },
  },

  rights: {
    missing: (right: string, role: string) =>
      `Your role, ${role}, does not have the right to ${right}. A Store Admin can give you another role.`,
    mayNotChange: (role: string) =>
      `You may look at this, but not change it: your role, ${role}, does not have the right. A Store Admin can give you another role.`,
    noneAtAll: (role: string) =>
      `Your role, ${role}, may see no screens. A Store Admin can give you another role.`,
  },

  list: {
    total: (n: number, [one, many]: readonly [one: string, many: string]) => counted(n, one, many),
    count: (n: number) => `${number.format(n)} on this page`,
    createOne: (noun: string) => `New ${noun}`,
    actions: 'Actions of the list',
    onlyMatching: (filter: string) => `It acts only on what the filter of the list matches: ${filter}`,
    onAll: 'It acts on the whole list: it has no filter now.',
    columns: 'Columns',
    page: (n: number, of: number) => `Page ${number.format(n)} of ${number.format(of)}`,
    goTo: 'Go to page',
    go: 'Go',
    previous: 'Previous',
    next: 'Next',
    perPage: 'Rows per page',
    reach: (page: number) =>
      `Pages of this list end at ${number.format(page)}. A filter, or the opposite order, leads to the rows after it.`,
    select: (name: string) => `Select ${name}`,
    selectPage: 'Select all rows of this page',
    selected: (n: number, elsewhere: number) =>
      `${number.format(n)} selected${elsewhere ? `, ${number.format(elsewhere)} not on this page` : ''}`,
    showSelected: 'Show them',
    copyIds: 'Copy ids',
    changeMany: 'Change many …',
    clear: 'Clear selection',
    sortBy: (name: string) => `Sort by ${name}`,
    walk: 'Read it all',
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
    failed: 'The list could not be loaded',
    changes: (n: number, isMore: boolean) =>
      `${counted(n, 'object has', 'objects have')}${isMore ? ' or more' : ''} changed. Show`,
    selectAll: (n: number) => `Select all ${number.format(n)} that match`,
    selecting: (n: number) => `${number.format(n)} selected …`,
    tooManyToSelect: (max: number) =>
      `Only ${number.format(max)} objects can be selected. A filter makes the list shorter.`,
    moveRow: 'Next row',
    moveRowBack: 'Previous row',
    selectRow: 'Select the row',
    focusFilter: 'Write a filter',
    noAnswer: 'The server does not respond. Your connection, or the server, may be down.',
  },

  columns: {
    shown: 'Shown',
    others: 'Others',
    earlier: (name: string) => `Move ${name} to the front`,
    later: (name: string) => `Move ${name} to the back`,
    usual: 'Usual columns',
    density: 'Height of the rows',
    densities: { roomy: 'Roomy', dense: 'Dense' },
  },

  export: {
    title: 'Export',
    about: (n: number) =>
      `Everything that the list shows, with its filter and its order: ${counted(n, 'object', 'objects')}.`,
    aboutUnknown: 'Everything that the list shows, with its filter and its order.',
    formats: { csv: 'CSV, for spreadsheets', ndjson: 'NDJSON, for programs' },
    start: 'Export',
    progress: (n: number, of: number | undefined) =>
      of === undefined ? number.format(n) : `${number.format(n)} of ${number.format(of)}`,
    done: (n: number) => `The file is complete: ${counted(n, 'object', 'objects')}.`,
    broken: (n: number, of: number | undefined) =>
      `The export broke off after ${number.format(n)}${of === undefined ? '' : ` of ${number.format(of)}`} objects.`,
    goOn: 'Go on from there',
    cannotGoOn: 'An export can only go on where the list is sorted by id.',
    again: 'Start again',
    save: 'Save the file',
    stop: 'Stop',
  },

  bulk: {
    title: (n: number) => `Delete ${counted(n, 'object', 'objects')}?`,
    remove: 'Delete them',
    checking: (n: number, of: number) => `Checking ${number.format(n)} of ${number.format(of)} …`,
    wouldDelete: 'This would be deleted:',
    wouldRefuse: (n: number) => `${counted(n, 'object', 'objects')} cannot be deleted:`,
    nothing: 'None of them can be deleted.',
    typeNumber: (n: number) => `Type ${n} to confirm`,
    deleting: (n: number, of: number) => `Deleted ${number.format(n)} of ${number.format(of)} …`,
    deleted: (n: number) => `${counted(n, 'object has', 'objects have')} been deleted.`,
    stopped: 'It was stopped: the others are still there.',
    refused: (n: number) => `${counted(n, 'object was', 'objects were')} not deleted:`,
    moreErrors: (n: number) => `and ${number.format(n)} more`,
  },

  history: {
    title: 'History',
    who: 'Who',
    event: {
      created: 'created it',
      updated: 'changed it',
      deleted: 'deleted it',
    } satisfies Readonly<Record<string, string>> as Readonly<Record<string, string>>,
    kinds: {
      'client-credentials-token': 'key',
      'customer-token': 'customer',
      'account-management-authentication-token': 'account member',
      'colleague-token': 'colleague',
    } satisfies Readonly<Record<string, string>> as Readonly<Record<string, string>>,
    system: 'The server',
    before: 'Before',
    after: 'After',
    bulkChange: 'with a bulk change',
    noFields: 'No field has another value.',
    values: (n: number) => counted(n, 'value', 'values'),
    none: 'There is no history',
    noneAbout: 'The store keeps no changes of it, or no longer.',
    noRight: 'You may not see the history',
    older: 'Show older ones',
  },

  filter: {
    label: 'Filter',
    placeholder: 'A name, an email address … or eq(name,value):gt(created_at,2026-01-01)',
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

  build: {
    children: (n: number) => `This makes ${counted(n, 'child', 'children')}.`,
    noVariations:
      'The product has no variation, such as Size, so there is nothing to build. Choose one under Variations first.',
    ownRules: 'The build rules of the product say which children it has. Edit them to change that.',
    otherOptions:
      'None of these options? A variation of your own has the options that you give it. Modifiers of an option add to the name and the SKU of its children.',
    ownVariation: 'New variation',
  },

  related: {
    title: (title: string, noun: string) => `${title} of this ${noun}`,
    none: 'None yet.',
    all: 'Show all',
    addTo: (noun: string) => `Add to a ${noun}`,
    which: (noun: string) => `Which ${noun}?`,
    place: (noun: string) => `In which ${noun}?`,
  },

  record: {
    back: '←',
    fields: 'Fields',
    confirmTitle: (name: string) => `Delete ${name}?`,
    confirmAbout: 'It cannot be brought back.',
    checking: 'Asking what this would do …',
    typeName: (name: string) => `Type ${name} to confirm`,
    actions: 'Actions',
    relationships: 'Relationships',
    done: 'Done.',
    answer: 'The answer of the server',
    named: (noun: string, name: string) => `${noun} ${name}`,
    changedMeanwhile: 'Somebody has changed this. Show',
    changed: 'Somebody has changed it since you opened it. Look at it again before you delete it.',
    version: 'Version',
    failed: 'The object could not be loaded',
    gone: 'There is no such object',
    goneAbout: 'It may have been deleted.',
  },

  ...forms,
}

export type Words = typeof en
