import { resource } from '../../server/kernel/declare/resource.ts'
import { longText } from '../../server/kernel/query/long-text.ts'
import {
  choice,
  field,
  flag,
  group,
  integer,
  list,
  map,
  number,
  reference,
  text,
} from '../../server/kernel/shape/fields.ts'
import { indexed, walks } from '../../server/kernel/shape/model.ts'

const code = text({ upperCase: true, pattern: /^[A-Za-z]{3}$/, max: 3 })
const amount = group(
  { units: integer({ required: true, min: 0 }), code: text({ upperCase: true, max: 3, default: 'EUR' }) },
  {},
)

const fields = {
  title: text({ required: true, min: 1, max: 20 }),
  code,
  owner: reference('thing', {}),
  weight: number({ nullable: true, min: -1000, max: 1000 }),
  ratio: number({}),
  count: integer({ default: 1 }),
  on: flag({ default: false }),
  mood: choice(['good', 'bad'], {}),
  words: list(text({ max: 5 }), { default: [], maxItems: 3 }),
  codes: list(code, {}),
  contact: group(
    {
      email: text({ required: true, format: 'email', max: 100 }),
      phone: text({ nullable: true, max: 20 }),
      owner: reference('thing', {}),
      place: group(
        { country: text({ upperCase: true, max: 2, default: 'GB' }), city: text({}) },
        { default: {} },
      ),
    },
    { nullable: true },
  ),
  labels: map(text({ max: 10 }), { maxKeys: 3 }),
  amounts: map(amount, { default: {} }),
  rows: list(group({ id: reference('thing', {}), note: text({ default: '', max: 5 }) }, {}), {}),
  shape: field<object | undefined>({ type: 'object', required: ['sides'] }, {}),
  pin: text({ stored: false, max: 60 }),
  // An update may send back what an answer shows under the same name.
  fresh_token: field<string | boolean | undefined>(
    { type: ['string', 'boolean'], minLength: 8, maxLength: 60 },
    { stored: false, inputName: 'token' },
  ),
  token: flag({ readOnly: true }),
  keys: group({ own: text({ max: 10 }) }, { hidden: true }),
}

/** Fields of every kind, and filters on their members. */
export const things = resource({
  type: 'thing',
  noun: ['thing', 'things'],
  about: 'A thing.',
  path: '/v2/things',
  table: 'things',
  fields,
  filter: {
    ...walks,
    title: indexed('eq', 'in', 'like'),
    code: { ops: ['eq', 'in', 'like'], column: `(doc->>'code')` },
    'contact.email': { ...longText('contact_email') },
    'contact.phone': { ops: ['eq', 'is_null'], column: `(doc->'contact'->>'phone')` },
    'labels.*': {
      ops: ['eq', 'in', 'is_null'],
      part: /^/,
      where: (op, values, bind, part) => {
        const label = `(doc->'labels'->>${bind(part)}::text)`
        if (op === 'is_null') return `${label} IS NULL`
        return `${label} = ANY(${bind(values)}::text[])`
      },
    },
    'amounts.*.units': {
      ops: ['eq', 'gt'],
      type: 'number',
      part: /^[a-z]{1,3}$/,
      where: (op, [value], bind, part) =>
        `(doc->'amounts'->${bind(part)}::text->>'units')::float8 ${op === 'eq' ? '=' : '>'} ${bind(value)}::float8`,
    },
    'words[]': {
      ops: ['eq'],
      part: /^[0-2]$/,
      where: (_op, [value], bind, part) => `doc->'words'->>${bind(part)}::integer = ${bind(value)}`,
    },
  },
  sort: ['created_at', 'id', 'title', 'updated_at'],
  area: 'things',
  envelope: { times: 'meta.timestamps', digits: 3, fields: 'top', links: 'inside', href: 'absolute' },
  beforeWrite: (_work, { values }) => {
    if (typeof values.fresh_token === 'string') values.token = true
  },
})
