/** Comments by the kind and the name of what they are about. */
export type CommentsByKey = ReadonlyMap<string, readonly string[]>

const patterns: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['index', /^CREATE (?:UNIQUE )?INDEX (\w+)/],
  ['routine', /^CREATE (?:OR REPLACE )?(?:FUNCTION|PROCEDURE) (\w+)/],
  ['trigger', /^CREATE (?:OR REPLACE )?(?:CONSTRAINT )?TRIGGER (\w+)/],
  ['view', /^CREATE (?:OR REPLACE )?VIEW (\w+)/],
  ['domain', /^CREATE DOMAIN (\w+)/],
  ['sequence', /^CREATE SEQUENCE (\w+)/],
  ['track', /^CALL (?:track|count_rows)\('(\w+)'/],
  ['constraint', /^\s*(?:ALTER TABLE \w+ )?(?:ADD )?CONSTRAINT (\w+)/],
]

/**
 * The comments of the objects in the migrations, by kind and name (`index accounts_by_name`, `column accounts.name`):
 * of each object the last one. Those inside of routines are part of their definitions.
 */
export function commentsIn(migrations: readonly string[]): CommentsByKey {
  const comments = new Map<string, readonly string[]>()
  for (const text of migrations) {
    let pending: string[] = []
    let table = ''
    let isQuoted = false
    for (const line of text.split('\n')) {
      const wasQuoted = isQuoted
      if ((line.match(/\$\w*\$/g) ?? []).length % 2) isQuoted = !isQuoted
      if (wasQuoted) continue
      if (/^\s*--/.test(line)) {
        pending.push(line.trim())
        continue
      }
      const [, created, altered] = /^(?:CREATE (?:UNLOGGED )?TABLE (\w+)|ALTER TABLE (\w+))/.exec(line) ?? []
      table = created ?? altered ?? table
      for (const key of keysOf(line, table, created)) if (pending.length) comments.set(key, pending)
      if (/;$/.test(line)) table = ''
      pending = []
    }
  }
  return comments
}

function keysOf(line: string, table: string, created: string | undefined): readonly string[] {
  const named = patterns.flatMap(([kind, pattern]) => {
    const [, name] = pattern.exec(line) ?? []
    return name ? [`${kind} ${name}`] : []
  })
  if (named.length) return named
  if (created) return [`table ${created}`]
  const [, column] = /^\s+(\w+) \w/.exec(line) ?? /ADD (?:COLUMN )?(\w+) \w/.exec(line) ?? []
  return table && column ? [`column ${table}.${column}`] : []
}
