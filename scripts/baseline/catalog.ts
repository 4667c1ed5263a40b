import type { Connection } from '../../server/kernel/storage/database.ts'
import { schemaDump } from '../docs/schema-dump.ts'

/** A table as the catalog has it. */
export interface Table {
  readonly name: string
  /** The lines of its columns and constraints. */
  readonly lines: readonly string[]
  readonly indexes: readonly string[]
  readonly triggers: readonly string[]
  readonly options: string
}

export interface Catalog {
  /** The routines and their definitions. */
  readonly routines: ReadonlyMap<string, string>
  readonly tables: readonly Table[]
  /** What neither of them says: statements, by the table or the routine that they follow. */
  readonly extras: readonly Extra[]
}

export interface Extra {
  readonly kind: string
  readonly of: string
  readonly sql: string
}

const visible = `c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition`

/** What docs/schema.sql leaves out. */
const extrasSql = `
  SELECT 'extension', '', 'CREATE EXTENSION IF NOT EXISTS ' || extname || ';' FROM pg_extension WHERE extname <> 'plpgsql'
  UNION ALL
  SELECT 'domain', t.typname, format('CREATE DOMAIN %I AS %s%s;', t.typname, format_type(t.typbasetype, t.typtypmod),
    (SELECT string_agg(format(' CONSTRAINT %I %s', k.conname, pg_get_constraintdef(k.oid)), '') FROM pg_constraint k
     WHERE k.contypid = t.oid))
  FROM pg_type t WHERE t.typnamespace = 'public'::regnamespace AND t.typtype = 'd'
  UNION ALL
  SELECT 'sequence', c.relname, format('CREATE SEQUENCE %I MINVALUE %s START %s;', c.relname, s.seqmin, s.seqstart)
  FROM pg_sequence s JOIN pg_class c ON c.oid = s.seqrelid
  WHERE NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype IN ('a', 'i'))
  UNION ALL
  SELECT 'view', c.relname, format(E'CREATE VIEW %I AS\\n%s', c.relname, pg_get_viewdef(c.oid, true))
  FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'v'
  UNION ALL
  SELECT 'unlogged', c.relname, '' FROM pg_class c WHERE ${visible} AND c.relpersistence = 'u'
  UNION ALL
  SELECT 'partitioned', c.relname, ' PARTITION BY ' || pg_get_partkeydef(c.oid) FROM pg_class c WHERE ${visible} AND c.relkind = 'p'
  UNION ALL
  SELECT 'setting', c.relname, concat_ws(E'\\n',
    CASE WHEN a.attstattarget > 0 THEN format('ALTER TABLE %I ALTER %I SET STATISTICS %s;', c.relname, a.attname, a.attstattarget) END,
    CASE WHEN a.attoptions IS NOT NULL THEN format('ALTER TABLE %I ALTER %I SET (%s);', c.relname, a.attname, array_to_string(a.attoptions, ', ')) END)
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  WHERE ${visible} AND a.attnum > 0 AND (a.attstattarget > 0 OR a.attoptions IS NOT NULL)
  UNION ALL
  SELECT 'always', g.tgname, format('ALTER TABLE %I ENABLE ALWAYS TRIGGER %I;', c.relname, g.tgname)
  FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid WHERE ${visible} AND g.tgenabled = 'A'
  ORDER BY 1, 2, 3`

/** What the schema of a migrated database consists of. */
export async function readCatalog(database: Connection): Promise<Catalog> {
  const [, ...objects] = (await schemaDump(database)).split(/\n\n(?=CREATE )/)
  const routines = new Map<string, string>()
  const tables: Table[] = []
  for (const object of objects) {
    const [, routine] = /^CREATE OR REPLACE (?:FUNCTION|PROCEDURE) (\w+)\(/.exec(object) ?? []
    if (routine) {
      if (/^ LANGUAGE c\b/m.test(object)) continue
      // Several may have one name.
      const written = object.trim().replace(/\n;$/, ';')
      routines.set(routine, [routines.get(routine), written].filter(Boolean).join('\n\n'))
      continue
    }
    const [, name = '', body = '', options = '', rest = ''] =
      /^CREATE TABLE (\w+) \(\n(.*?)\n\)(?: WITH \((.*?)\n\))?;\n?(.*)$/s.exec(object) ?? []
    const statements = rest.split(/;\n?(?=CREATE |$)/).filter(Boolean)
    tables.push({
      ...{ name, lines: body.split(/,\n(?= {2}\w)/), options: options.replace(/\s+/g, ' ').trim() },
      indexes: statements.filter((one) => /^CREATE (UNIQUE )?INDEX/.test(one)),
      triggers: statements.filter((one) => /^CREATE (CONSTRAINT )?TRIGGER/.test(one)),
    })
  }
  const rows = await database.run({ text: extrasSql, values: [], once: true })
  const extras = rows.map(([kind, of, sql]) => ({
    ...{ kind: kind ?? '', of: of ?? '', sql: (sql ?? '').replaceAll('public.', '') },
  }))
  return { routines, tables, extras }
}
