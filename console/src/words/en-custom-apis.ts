import { counted, number } from './en-numbers.ts'

const entries = (n: number) => counted(n, 'entry', 'entries')

/** The texts of the screen of a custom API, in English. */
export const customApis = {
  tabs: { design: 'Design', policies: 'Who may', try: 'Try' },
  rules: {
    min_length: 'Shortest length',
    max_length: 'Longest length',
    min_value: 'Smallest value',
    max_value: 'Largest value',
    regex: 'Regular expression (RE2)',
    unique: 'Unique',
    unique_case_insensitivity: 'Unique whatever the case',
    allowed_type: 'Type of the elements',
    allow_null_values: 'May be empty (null)',
    immutable: 'Cannot be changed later',
  },
  fields: {
    none: 'It has no fields yet, so its entries have only an id and times.',
    slug: 'Name in the API',
    name: 'Name',
    type: 'Type',
    rules: 'Rules',
    actions: 'Actions',
    required: 'required',
    noRules: 'none',
    entries: 'Its entries',
    urlSlug: 'stands in the address in place of the id',
    flag: {
      unique: 'unique',
      unique_case_insensitivity: 'whatever the case',
      immutable: 'cannot be changed',
    },
    add: 'Add a field',
    edit: (slug: string) => `Change ${slug}`,
    editShort: 'Change',
    added: 'The field has been added.',
    changed: 'The field has been changed.',
    mayNot: (role: string) => `The role ${role} may not change fields.`,
    keyOnly: 'Fields cannot be changed with these rights.',
  },
  window: {
    add: 'Add a field',
    change: (slug: string) => `Change the field ${slug}`,
    save: 'Save the field',
    fixed: 'This cannot be changed once the field is there.',
    accepted: 'The server would accept this definition.',
    checking: 'The server is asked …',
    slugNeeded: 'A name and a name in the API are needed.',
    notNumber: (rule: string) => `${rule} must be a number.`,
  },
  samples: {
    label: 'Sample values, one on each line',
    about:
      'Texts as they are, everything else as JSON. Patterns are matched here by the same RE2 that the server uses.',
    title: 'Samples',
    value: 'Value',
    outcome: 'Outcome',
    accepted: 'accepted',
    empty: '(empty)',
    type: (type: string) => `refused: not a value of the type ${type}`,
    fault: (rule: string, limit: string) => `refused: ${rule}${limit && `: ${limit}`}`,
    null: 'refused: it may not be empty',
  },
  broken: {
    title: 'What is there already',
    one: (n: number, total: number, rule: string) =>
      n === 0
        ? `None of ${entries(total)} breaks “${rule}”.`
        : `${number.format(n)} of ${entries(total)} would fail “${rule}”.`,
    nulls: (n: number, total: number) =>
      n === 0
        ? `All of ${entries(total)} have a value.`
        : `${number.format(n)} of ${entries(total)} would fail: they have no value.`,
    unknown: {
      length:
        'How many entries would fail the length is not known: lists of the API cannot be filtered by the length of a text.',
      regex:
        'How many entries would fail the regular expression is not known: lists of the API cannot be filtered by one.',
      unique:
        'How many entries share a value is not known: no filter of the API finds that. The oldest entry keeps such a value, and the others fail when they are written.',
      other: 'How many entries would fail is not known: the API has no filter for it.',
    },
    after:
      'They stay as they are. A write that sends such a value is refused; so is every change of an entry that lacks a required one.',
    failed: 'The entries could not be counted:',
    mayNotRead: (role: string) => `The role ${role} may not read entries, so they are not counted.`,
  },
  policies: {
    about:
      'Entries have no owner. Whoever may change or delete an entry may change or delete those of everybody; whoever may read one may read all.',
    role: 'Role',
    rights: { create: 'Create', list: 'List', read: 'Read', update: 'Change', delete: 'Delete' },
    who: {
      'Guest Shopper': 'Everybody, without a sign-in',
      'Registered Shopper': 'Every customer and account member who has signed in',
    },
    can: (role: string, right: string) => `${role}: ${right}`,
    nothing: 'May do nothing: there is no policy.',
    closed: 'May do nothing.',
    sees: (n: number) => `Can see all of ${entries(n)}.`,
    readsOne: 'Can see any entry whose id they know.',
    seesAll: 'Can see all entries.',
    harms: 'Can change or delete the entries of others.',
    adds: 'Can add entries.',
    save: 'Save',
    saved: 'The policies have been saved.',
    sellers:
      'Colleagues and keys need no policy: they have the rights of their role (Custom entries), and a policy for such a role has no effect.',
    mayNot: (role: string) => `The role ${role} may not change policies.`,
    mayNotRead: (role: string) => `The role ${role} may not read policies.`,
    keyOnly: 'Policies cannot be changed with these rights.',
  },
  try: {
    about:
      'Each step is a real request to this store. The entry that it makes can be deleted with the last step. The ETag is weak: its text is the etag_id of the entry, and changes with every change.',
    created: 'New entry',
    change: 'The change',
    steps: {
      create: '1. Create it',
      read: '2. Read it',
      change: '3. Change it with If-Match',
      conflict: '4. Change it again with the old ETag',
      remove: '5. Delete it',
    },
    why: {
      create: (ok: boolean) =>
        ok
          ? 'The entry is there. Its ETag is its version.'
          : 'The server refuses the values: mend them above.',
      read: () => 'The same ETag as long as nobody changes the entry.',
      change: (ok: boolean) =>
        ok
          ? 'If-Match had the version at the server, so the change was made, and the version is another one.'
          : 'Nothing was changed.',
      conflict: (ok: boolean) =>
        ok
          ? 'The server did not refuse, so the entry had not been changed before: step 3 must change a value.'
          : 'As it must be: somebody has changed the entry since this ETag was read. Whoever gets a 412 reads the entry again, and repeats the change with the new ETag.',
      remove: () => 'The entry is gone.',
    },
    same: 'The ETag is that of before: these values were there already, and an update without a change writes nothing.',
    status: 'Status',
    etag: 'ETag',
    etagId: 'etag_id',
    matches: 'the same as in the ETag',
    differs: 'not the same as in the ETag',
    curl: 'As curl',
    notJson: 'This is not JSON.',
    noFields: 'It has no fields that can be changed, so there is nothing to try beyond the first two steps.',
    mayNot: (role: string) => `The role ${role} may not write entries.`,
    keyOnly: 'Entries cannot be written with these rights.',
  },
}
