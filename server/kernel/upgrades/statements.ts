/** What a statement of a migration costs a table: `rewrite` writes all of its rows, `scan` reads them. */
export type EffectKind = 'instant' | 'index concurrently' | 'backfill' | 'scan' | 'rewrite' | 'unknown'

/** Locks of tables, from the weakest to the strongest. */
export const lockModes = [
  'ROW EXCLUSIVE',
  'SHARE UPDATE EXCLUSIVE',
  'SHARE',
  'SHARE ROW EXCLUSIVE',
  'ACCESS EXCLUSIVE',
] as const
export type LockMode = (typeof lockModes)[number]

/** What a statement does to a table that exists. */
export interface StatementEffect {
  readonly kind: EffectKind
  /** Empty where the statement names no table. */
  readonly table: string
  readonly lock: LockMode | undefined
}

const token = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|[(),;]/g

/** Splits SQL where the separator stands outside of comments, strings and parentheses. Comments go. */
function splitSql(sql: string, separator: ';' | ','): readonly string[] {
  const parts: string[] = []
  let [part, from, depth] = ['', 0, 0]
  for (const match of sql.matchAll(token)) {
    const [text] = match
    part += sql.slice(from, match.index)
    from = match.index + text.length
    if (text === '(') depth++
    if (text === ')') depth--
    if (text === separator && depth === 0) {
      parts.push(part)
      part = ''
    } else if (!/^(--|\/\*)/.test(text)) part += text
  }
  return [...parts, part + sql.slice(from)].map((one) => one.replace(/\s+/g, ' ').trim()).filter(Boolean)
}

const name = '(?:IF (?:NOT )?EXISTS )?(?:ONLY )?"?(\\w+)"?'

/** Forms of statements; the first group is the table. */
const forms: readonly (readonly [form: RegExp, kind: EffectKind, lock?: LockMode])[] = [
  [/^CREATE (?:UNLOGGED )?TABLE /, 'instant'],
  [/^CREATE (?:OR REPLACE )?(?:FUNCTION|PROCEDURE|VIEW|TYPE|DOMAIN|SEQUENCE|EXTENSION) /, 'instant'],
  [/^DROP (?:FUNCTION|PROCEDURE|VIEW|TYPE|DOMAIN|SEQUENCE) /, 'instant'],
  [/^COMMENT /, 'instant'],
  [
    new RegExp(`^CREATE (?:UNIQUE )?INDEX CONCURRENTLY .*?\\bON ${name}`),
    'index concurrently',
    'SHARE UPDATE EXCLUSIVE',
  ],
  [new RegExp(`^CREATE (?:UNIQUE )?INDEX .*?\\bON ${name}`), 'scan', 'SHARE'],
  [
    new RegExp(`^CREATE (?:OR REPLACE )?(?:CONSTRAINT )?TRIGGER .*?\\bON ${name}`),
    'instant',
    'SHARE ROW EXCLUSIVE',
  ],
  [/^CALL track\('(\w+)'/, 'instant', 'SHARE ROW EXCLUSIVE'],
  [new RegExp(`^DROP TRIGGER .*?\\bON ${name}`), 'instant', 'ACCESS EXCLUSIVE'],
  [new RegExp(`^(?:DROP TABLE|TRUNCATE(?: TABLE)?) ${name}`), 'instant', 'ACCESS EXCLUSIVE'],
  [
    new RegExp(`^(?:UPDATE|DELETE FROM|WITH .*?\\b(?:UPDATE|DELETE FROM)) ${name}`),
    'rewrite',
    'ROW EXCLUSIVE',
  ],
  [new RegExp(`^(?:INSERT INTO|WITH .*?\\bINSERT INTO) ${name}`), 'rewrite', 'ROW EXCLUSIVE'],
]

/** Actions of ALTER TABLE. */
const actions: readonly (readonly [form: RegExp, kind: EffectKind, lock: LockMode])[] = [
  [/^ADD (?:COLUMN )?.*\bGENERATED ALWAYS AS \(/, 'rewrite', 'ACCESS EXCLUSIVE'],
  [/^ADD (?:COLUMN )?.*\bGENERATED (?:ALWAYS|BY DEFAULT) AS IDENTITY/, 'rewrite', 'ACCESS EXCLUSIVE'],
  [/^ADD .*\bFOREIGN KEY\b.*\bNOT VALID$/, 'instant', 'SHARE ROW EXCLUSIVE'],
  [/^ADD .*\bNOT VALID$/, 'instant', 'ACCESS EXCLUSIVE'],
  [/^ADD .*\bUSING INDEX\b/, 'instant', 'ACCESS EXCLUSIVE'],
  [/^ADD (?:CONSTRAINT \w+ )?FOREIGN KEY\b/, 'scan', 'SHARE ROW EXCLUSIVE'],
  [/^ADD (?:CONSTRAINT \w+ )?(?:CHECK|UNIQUE|PRIMARY KEY|EXCLUDE)\b/, 'scan', 'ACCESS EXCLUSIVE'],
  // A default is computed once, unless its function may return something else for each row.
  [/^ADD (?:COLUMN )?.*\bDEFAULT (?!now\(\))[^,]*\w\(/, 'rewrite', 'ACCESS EXCLUSIVE'],
  [/^ADD (?:COLUMN )?/, 'instant', 'ACCESS EXCLUSIVE'],
  [/^ALTER (?:COLUMN )?\w+ (?:SET DATA )?TYPE\b/, 'rewrite', 'ACCESS EXCLUSIVE'],
  [/^ALTER (?:COLUMN )?\w+ SET NOT NULL/, 'scan', 'ACCESS EXCLUSIVE'],
  [/^ALTER (?:COLUMN )?\w+ SET STATISTICS/, 'instant', 'SHARE UPDATE EXCLUSIVE'],
  [/^VALIDATE CONSTRAINT/, 'scan', 'SHARE UPDATE EXCLUSIVE'],
  [/^(?:RE)?SET \(/, 'instant', 'SHARE UPDATE EXCLUSIVE'],
  [/^(?:DROP|RENAME|ALTER|ENABLE|DISABLE)\b/, 'instant', 'ACCESS EXCLUSIVE'],
]

const alterTable = new RegExp(`^ALTER TABLE ${name} (.*)$`, 's')

/** What the statements of a migration do, in their order. A form that this does not know is `unknown`. */
export const effectsOf = (sql: string): readonly StatementEffect[] =>
  splitSql(sql, ';').flatMap(effectsOfStatement)

function effectsOfStatement(statement: string): readonly StatementEffect[] {
  const alter = alterTable.exec(statement)
  if (alter) {
    const [, table = '', all = ''] = alter
    return splitSql(all, ',').map((action) => {
      const [, kind = 'unknown', lock = 'ACCESS EXCLUSIVE'] =
        actions.find(([form]) => form.test(action)) ?? []
      return { kind, table, lock }
    })
  }
  for (const [form, kind, lock] of forms) {
    const match = form.exec(statement)
    if (match) return [{ kind, table: match[1] ?? '', lock }]
  }
  return [{ kind: 'unknown', table: '', lock: undefined }]
}
