import type { Catalog, Extra, Table } from './catalog.ts'
import { type CommentsByKey, commentsIn } from './comments.ts'
import { plainRoutine, plainSql } from './plain-sql.ts'

/** Which rooms there are, in their order, and which of them owns a table or a routine. The kernel is the first. */
export interface Owners {
  readonly rooms: readonly string[]
  readonly roomOfTable: (name: string) => string
  readonly roomOfRoutine: (name: string) => string
}

/** The name of a room begins with its wing. */
export const wingOf = (room: string): string => room.split('/')[0] ?? ''

/** The statements that count the lists of tables and feed their changes: of each table the last one. */
function trackCalls(migrations: readonly string[]): ReadonlyMap<string, string> {
  const calls = migrations.flatMap((text) =>
    [...text.matchAll(/^CALL (?:track|count_rows)\('(\w+)'.*?\);$/gms)].map(
      ([call, table = '']) => [table, call] as const,
    ),
  )
  return new Map(calls)
}

/** The order in which the migrations make tables, routines and views. */
function placesIn(migrations: readonly string[]): ReadonlyMap<string, number> {
  const made = /^(?:CREATE .*?(?:TABLE|FUNCTION|PROCEDURE|VIEW)|ALTER TABLE \w+ RENAME TO) (\w+)/gm
  const names = migrations.flatMap((text) => [...text.matchAll(made)].map(([, name = '']) => name))
  return new Map([...new Set(names)].map((name, i) => [name, i]))
}

const mentions = (text: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(text)
const targetOf = (line: string): string | undefined => /REFERENCES (\w+)/.exec(line)?.[1]

/** Columns first, then the key, then what is unique, refers and checks. */
const placeOf = (line: string): number =>
  line.startsWith('  CONSTRAINT')
    ? [' PRIMARY KEY ', ' UNIQUE ', ' FOREIGN KEY ', ' CHECK '].findIndex((kind) => line.includes(kind))
    : -1

/** Writes statements, each after those that it needs. */
class Baseline {
  readonly #catalog: Catalog
  readonly #owners: Owners
  readonly #comments: CommentsByKey
  readonly #calls: ReadonlyMap<string, string>
  readonly #places: ReadonlyMap<string, number>
  readonly #written = new Set<string>()
  #lines: string[] = []

  constructor(catalog: Catalog, migrations: readonly string[], owners: Owners) {
    this.#catalog = catalog
    this.#owners = owners
    this.#comments = commentsIn(migrations)
    this.#calls = trackCalls(migrations)
    this.#places = placesIn(migrations)
  }

  /** The files by the names of their wings. */
  files(): ReadonlyMap<string, string> {
    const wings = [...new Set(this.#owners.rooms.map(wingOf))]
    return new Map(wings.map((wing) => [wing, this.#wing(wing)] as const).filter(([, sql]) => sql))
  }

  #wing(wing: string): string {
    this.#lines = []
    const rooms = this.#owners.rooms.filter((room) => wingOf(room) === wing)
    if (wing === this.#owners.rooms[0]) this.#foundations()
    for (const room of rooms) this.#room(room, rooms.length > 1)
    this.#completions(wing)
    if (!this.#lines.length) return ''
    const head = [
      `-- The tables and routines of ${wing}/ at the baseline: see docs/decisions/0094-baseline.md.`,
      '',
      '-- A routine may use what comes after it.',
      'SET LOCAL check_function_bodies = off;',
    ]
    return `${[head.join('\n'), ...this.#lines].join('\n\n')}\n`
  }

  #foundations(): void {
    for (const { kind, of, sql } of this.#extras('extension', 'domain', 'sequence'))
      this.#lines.push(this.#withComment(`${kind} ${of}`, plainSql(sql)))
  }

  #room(room: string, hasTitle: boolean): void {
    const { tables, routines } = this.#catalog
    const inOrder = (names: readonly string[]) =>
      names.toSorted((one, other) => (this.#places.get(one) ?? 0) - (this.#places.get(other) ?? 0))
    const before = this.#lines.length
    const ownTables = tables.filter(({ name }) => this.#owners.roomOfTable(name) === room)
    for (const name of inOrder(ownTables.map((table) => table.name))) this.#table(name)
    const ownViews = this.#extras('view').filter(({ of }) => this.#owners.roomOfTable(of) === room)
    for (const view of ownViews) this.#view(view)
    const ownRoutines = [...routines.keys()].filter((name) => this.#owners.roomOfRoutine(name) === room)
    for (const name of inOrder(ownRoutines)) this.#routine(name)
    if (hasTitle && this.#lines.length > before) this.#lines.splice(before, 0, `-- == ${room} ==`)
  }

  #table(name: string): void {
    const table = this.#catalog.tables.find((one) => one.name === name)
    if (!table || name === 'migrations' || !this.#isFirst(`table ${name}`)) return
    const wing = this.#wingOfTable(name)
    const own = table.lines.filter((line) => !this.#laterTarget(name, line))
    for (const target of own.map(targetOf))
      if (target && this.#wingOfTable(target) === wing) this.#table(target)
    this.#routinesIn([...table.lines, ...table.indexes].join('\n'))
    const triggers = table.triggers.filter((sql) => this.#isWritten(sql, table))
    for (const sql of triggers) this.#triggerRoutine(sql)
    const call = own.length === table.lines.length ? this.#calls.get(name) : undefined
    const calls =
      triggers.filter(isFence).length && !call?.startsWith('CALL track(')
        ? [`CALL fence_times_of('${name}');`]
        : []
    if (call || calls.length) this.#routinesIn([call, ...calls].join('\n'))
    this.#lines.push(
      [
        this.#createTable(table, own),
        ...table.indexes.map((sql) =>
          this.#withComment(`index ${/INDEX (\w+)/.exec(sql)?.[1]}`, plainSql(`${sql};`)),
        ),
        ...this.#extras('setting').flatMap(({ of, sql }) => (of === name ? [sql] : [])),
        ...triggers.filter((sql) => !isFence(sql)).map((sql) => this.#trigger(sql)),
        ...calls,
        ...(call ? [this.#withComment(`track ${name}`, call)] : []),
      ].join('\n'),
    )
    if (this.#extras('partitioned').some(({ of }) => of === name)) {
      this.#routinesIn('keep_partition')
      this.#lines.push(
        '-- The partition of this week. Without it the first change makes it, and takes longer.\nCALL keep_partition(clock_timestamp());',
      )
    }
  }

  #createTable({ name, options }: Table, lines: readonly string[]): string {
    const body = lines.toSorted((one, other) => placeOf(one) - placeOf(other))
    const written = body.map((line, i) => {
      const [, constraint, column] = /^ {2}(?:CONSTRAINT (\w+)|"?(\w+))/.exec(line) ?? []
      const key = constraint ? `constraint ${constraint}` : `column ${name}.${column}`
      return this.#withComment(key, plainSql(i < body.length - 1 ? `${line},` : line), '  ')
    })
    const unlogged = this.#extras('unlogged').some(({ of }) => of === name) ? 'UNLOGGED ' : ''
    const partitioned = this.#extras('partitioned').flatMap(({ of, sql }) => (of === name ? [sql] : []))
    const end = plainSql(`)${partitioned}${options ? ` WITH (${options.replaceAll('=', ' = ')})` : ''};`)
    return this.#withComment(
      `table ${name}`,
      [`CREATE ${unlogged}TABLE ${name} (`, ...written, end].join('\n'),
    )
  }

  #view({ of: name, sql }: Extra): void {
    for (const table of this.#catalog.tables)
      if (mentions(sql, table.name) && this.#wingOfTable(table.name) === this.#wingOfTable(name))
        this.#table(table.name)
    this.#lines.push(this.#withComment(`view ${name}`, sql))
  }

  /** Writes the routines that a statement runs, and those that these run. */
  #routinesIn(sql: string): void {
    for (const name of this.#catalog.routines.keys()) {
      if (mentions(sql, name) && !this.#written.has(`routine ${name}`)) {
        this.#routine(name)
        this.#routinesIn(this.#catalog.routines.get(name) ?? '')
      }
    }
  }

  #routine(name: string): void {
    const sql = this.#catalog.routines.get(name)
    if (!sql || !this.#isFirst(`routine ${name}`)) return
    const [head = ''] = sql.split('\n')
    for (const table of this.#catalog.tables)
      if (new RegExp(`\\b${table.name}[,)]`).test(head)) this.#table(table.name)
    const all = sql.split(/\n\n(?=CREATE OR REPLACE )/).map(plainRoutine)
    this.#lines.push(this.#withComment(`routine ${name}`, all.join('\n\n')))
    for (const table of this.#catalog.tables)
      for (const trigger of table.triggers)
        if (routineOf(trigger) === name && !this.#isWritten(trigger, table))
          this.#lines.push(this.#trigger(trigger))
  }

  #triggerRoutine(trigger: string): void {
    if (!isFence(trigger)) this.#routine(routineOf(trigger))
  }

  #trigger(sql: string): string {
    const [, name = ''] = /TRIGGER (\w+)/.exec(sql) ?? []
    const always = this.#extras('always').flatMap((one) => (one.of === name ? [`\n${one.sql}`] : []))
    return this.#withComment(`trigger ${name}`, plainSql(`${sql};`) + always.join(''))
  }

  /** What the tables of earlier wings get when this wing has the tables that they refer to. */
  #completions(wing: string): void {
    for (const { name, lines } of this.#catalog.tables) {
      const keys = lines.filter((line) => this.#laterTarget(name, line) === wing)
      if (!keys.length) continue
      const call = this.#calls.get(name)
      this.#lines.push(
        [
          ...keys.map((line) => plainSql(`ALTER TABLE ${name} ADD ${line.trim()};`)),
          ...(call ? [this.#withComment(`track ${name}`, call)] : []),
        ].join('\n'),
      )
    }
  }

  /** Whether a trigger is made with its table: not by `track`, and not by a later room. */
  #isWritten(sql: string, { name }: Table): boolean {
    const routine = routineOf(sql)
    if (/_(tracked|counted|fkey)$/.test(routine)) return false
    const { rooms, roomOfRoutine, roomOfTable } = this.#owners
    return isFence(sql) || rooms.indexOf(roomOfRoutine(routine)) <= rooms.indexOf(roomOfTable(name))
  }

  /** The later wing that has the table to which a key refers. */
  #laterTarget(name: string, line: string): string | undefined {
    const target = targetOf(line)
    const wing = target && this.#wingOfTable(target)
    return wing && this.#isLater(wing, this.#wingOfTable(name)) ? wing : undefined
  }

  #isLater(wing: string, than: string): boolean {
    const place = (one: string) => this.#owners.rooms.findIndex((room) => wingOf(room) === one)
    return place(wing) > place(than)
  }

  #isFirst(key: string): boolean {
    const isFirst = !this.#written.has(key)
    this.#written.add(key)
    return isFirst
  }

  #wingOfTable(name: string): string {
    return wingOf(this.#owners.roomOfTable(name))
  }

  #extras(...kinds: readonly string[]): readonly Extra[] {
    return this.#catalog.extras.filter(({ kind }) => kinds.includes(kind))
  }

  #withComment(key: string, sql: string, indent = ''): string {
    return [...(this.#comments.get(key) ?? []).map((line) => indent + line), sql].join('\n')
  }
}

const routineOf = (trigger: string): string => /EXECUTE FUNCTION (\w+)\(/.exec(trigger)?.[1] ?? ''
const isFence = (trigger: string): boolean => routineOf(trigger) === 'fence_times'

/** The SQL that makes the schema of a migrated database anew: for each wing, by its name, a file. */
export const baselineSql = (
  catalog: Catalog,
  migrations: readonly string[],
  owners: Owners,
): ReadonlyMap<string, string> => new Baseline(catalog, migrations, owners).files()
