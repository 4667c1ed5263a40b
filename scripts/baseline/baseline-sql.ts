import type { Catalog } from './catalog.ts'
import { commentsIn } from './comments.ts'

/** Which wing owns a table or a routine; the kernel is one too. */
export interface Owners {
  readonly wings: readonly string[]
  readonly wingOfTable: (name: string) => string
  readonly wingOfRoutine: (name: string) => string
}

/** The statements that count the lists of tables and feed their changes: of each table the last one. */
function trackCalls(migrations: readonly string[]): ReadonlyMap<string, string> {
  const calls = migrations.flatMap((text) =>
    [...text.matchAll(/^CALL (?:track|count_rows)\('(\w+)'.*?\);$/gms)].map(
      ([call, table = '']) => [table, call] as const,
    ),
  )
  return new Map(calls)
}

/** The text as people write it: the catalog has the same in more words. */
const plain = (sql: string): string =>
  sql
    .replaceAll('timestamp(3) with time zone', 'timestamptz(3)')
    .replaceAll('timestamp with time zone', 'timestamptz')
    .replaceAll(' USING btree ', ' ')

/** The SQL that makes the schema of a migrated database anew: for each wing, by its name, a file. */
export function baselineSql(
  { routines, tables, extras }: Catalog,
  migrations: readonly string[],
  { wings, wingOfTable, wingOfRoutine }: Owners,
): ReadonlyMap<string, string> {
  const comments = commentsIn(migrations)
  const calls = trackCalls(migrations)
  const withComment = (key: string, sql: string, indent = '') =>
    [...(comments.get(key) ?? []).map((line) => indent + line), sql].join('\n')
  const extrasOf = (kind: string, of: string) => extras.filter((one) => one.kind === kind && one.of === of)

  /** A routine that a table of an earlier wing is made with is there already. */
  const wingWith = (routine: string): string => {
    const uses = tables.filter(({ lines, indexes }) =>
      [...lines, ...indexes].some((line) => line.includes(`${routine}(`)),
    )
    const places = [wingOfRoutine(routine), ...uses.map(({ name }) => wingOfTable(name))].map((one) =>
      wings.indexOf(one),
    )
    return wings[Math.min(...places)] ?? ''
  }

  const later = (one: string, other: string) => (wings.indexOf(one) > wings.indexOf(other) ? one : other)

  /** The wing of the last table that a table has a key to, or its own: from there on it is whole. */
  const wingOfKey = (name: string, line: string): string => {
    const [, to] = /REFERENCES (\w+)/.exec(line) ?? []
    return to ? later(wingOfTable(name), wingOfTable(to)) : wingOfTable(name)
  }
  const wingWhereWhole = ({ name, lines }: Catalog['tables'][number]): string =>
    lines.reduce((wing, line) => later(wing, wingOfKey(name, line)), wingOfTable(name))
  const keysToLater = tables.flatMap(({ name, lines }) =>
    lines
      .filter((line) => wingOfKey(name, line) !== wingOfTable(name))
      .map((line) => ({ wing: wingOfKey(name, line), sql: `ALTER TABLE ${name} ADD ${line.trim()};` })),
  )

  const createTable = (table: Catalog['tables'][number]): string => {
    const { name, indexes, options } = table
    const lines = table.lines.filter((line) => wingOfKey(name, line) === wingOfTable(name))
    const body = lines.map((line, i) => {
      const [, constraint, column] = /^ {2}(?:CONSTRAINT (\w+)|(\w+))/.exec(line) ?? []
      const key = constraint ? `constraint ${constraint}` : `column ${name}.${column}`
      return withComment(key, i < lines.length - 1 ? `${line},` : line, '  ')
    })
    const unlogged = extrasOf('unlogged', name).length ? 'UNLOGGED ' : ''
    const partitioned = extrasOf('partitioned', name).map(({ sql }) => sql)
    const end = `)${partitioned}${options ? ` WITH (${options})` : ''};`
    return [
      withComment(`table ${name}`, plain([`CREATE ${unlogged}TABLE ${name} (`, ...body, end].join('\n'))),
      ...indexes.map((sql) => withComment(`index ${/INDEX (\w+)/.exec(sql)?.[1]}`, `${plain(sql)};`)),
      ...extrasOf('setting', name).map(({ sql }) => sql),
    ].join('\n')
  }

  /** Tables after those that their keys refer to. */
  const inOrder = (own: Catalog['tables']): Catalog['tables'] => {
    const sorted: Catalog['tables'][number][] = []
    const visit = (table: Catalog['tables'][number]) => {
      if (sorted.includes(table)) return
      for (const line of table.lines) {
        const [, to] = /REFERENCES (\w+)/.exec(line) ?? []
        const target = own.find(({ name }) => name === to)
        if (target && target !== table) visit(target)
      }
      sorted.push(table)
    }
    own.forEach(visit)
    return sorted
  }

  /** Triggers that no other statement makes: `track` makes its own, and those that delete what is below a parent. */
  const triggersOf = tables.flatMap(({ name: table, triggers }) =>
    triggers.flatMap((sql) => {
      const [, trigger = ''] = /TRIGGER (\w+)/.exec(sql) ?? []
      const [, routine = ''] = /EXECUTE FUNCTION (\w+)\(/.exec(sql) ?? []
      if (/_(tracked|counted|fkey)$/.test(routine)) return []
      const isFence = routine === 'fence_times'
      if (isFence && calls.get(table)?.startsWith('CALL track(')) return []
      const always = extrasOf('always', trigger).map((one) => `\n${one.sql}`)
      const text = isFence ? `CALL fence_times_of('${table}');` : `${sql};${always}`
      return [
        {
          wing: isFence ? wingOfTable(table) : later(wingOfTable(table), wingOfRoutine(routine)),
          sql: withComment(`trigger ${trigger}`, text),
        },
      ]
    }),
  )

  return new Map(
    wings.flatMap((wing) => {
      const own = inOrder(tables.filter(({ name }) => name !== 'migrations' && wingOfTable(name) === wing))
      const takesRow = (sql: string) =>
        own.some(({ name }) => new RegExp(`\\b${name}[,)]`).test(sql.split('\n')[0] ?? ''))
      const ownRoutines = [...routines]
        .filter(([name]) => wingWith(name) === wing)
        .map(([name, sql]) => ({
          sql,
          text: withComment(`routine ${name}`, sql.replace('CREATE OR REPLACE', 'CREATE')),
        }))
      const named = (...kinds: readonly string[]) =>
        extras
          .filter(
            ({ kind, of }) => kinds.includes(kind) && (kind === 'view' ? wingOfTable(of) : wings[0]) === wing,
          )
          .map(({ kind, of, sql }) => withComment(`${kind} ${of}`, sql))
      const parts = [
        'SET LOCAL check_function_bodies = off;',
        ...named('extension', 'domain', 'sequence'),
        ...ownRoutines.filter(({ sql }) => !takesRow(sql)).map(({ text }) => text),
        ...own.map(createTable),
        ...ownRoutines.filter(({ sql }) => takesRow(sql)).map(({ text }) => text),
        ...named('view'),
        ...triggersOf.filter((one) => one.wing === wing).map(({ sql }) => sql),
        // A feed without the partition of the first week would be made slowly, by the first change.
        ...(wing === wings[0] ? ['CALL keep_partition(clock_timestamp());'] : []),
        ...keysToLater.filter((one) => one.wing === wing).map(({ sql }) => sql),
        ...inOrder(tables.filter((table) => wingWhereWhole(table) === wing)).flatMap(({ name }) =>
          calls.has(name) ? [withComment(`track ${name}`, calls.get(name) as string)] : [],
        ),
      ]
      return parts.length > 1 ? [[wing, `${parts.join('\n\n')}\n`] as const] : []
    }),
  )
}
