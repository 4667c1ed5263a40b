import type { JsonSchema } from '../shape/fields.ts'

/** A line of a file (RFC 4180). */
export const toCsvLine = (cells: readonly string[]): string => `${cells.map(toCsvCell).join(',')}\r\n`

/** Quotes semicolons and tabs too, so that an import does not take them for the delimiter. */
const toCsvCell = (cell: string): string =>
  /[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell

/** A column of a list as CSV: the path of a value in an object of the list. */
export type CellPath = readonly string[]

/**
 * The columns of objects with this schema: one for each value, named by its path. A list, an object with free keys,
 * and a value of several kinds have one column for all of it.
 */
export function columnsOf(schema: JsonSchema): readonly CellPath[] {
  const columns = leavesOf(schema, [])
  return [...new Map(columns.map((column) => [nameOf(column), column])).values()]
}

const nameOf = (column: CellPath): string => column.join('.')

function leavesOf(schema: JsonSchema, path: CellPath): readonly CellPath[] {
  if (schema.anyOf && path.length === 0)
    return (schema.anyOf as JsonSchema[]).flatMap((one) => leavesOf(one, path))
  const inside = isOpen(schema) ? [] : Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  return inside.length ? inside.flatMap(([name, one]) => leavesOf(one, [...path, name])) : [path]
}

/** Whether the values may be other things than objects with these members. */
const isOpen = ({
  type,
  additionalProperties,
  patternProperties,
  anyOf,
  oneOf,
  allOf,
}: JsonSchema): boolean =>
  Boolean(additionalProperties || patternProperties || anyOf || oneOf || allOf) ||
  [type ?? 'object'].flat().some((one) => one !== 'object' && one !== 'null')

/** The first line. */
export const headerLine = (columns: readonly CellPath[]): string => toCsvLine(columns.map(nameOf))

/**
 * The line of an object, from its JSON. A value that is missing, or null, is an empty cell; an empty text is quoted.
 * What is not a text is written as JSON writes it.
 */
export function objectLine(columns: readonly CellPath[], text: string): string {
  const object: unknown = JSON.parse(text)
  return lineOf(columns.map((column) => cellAt(object, column)))
}

/** The cell of a column in the line of an object. */
export function cellAt(object: unknown, column: CellPath): string {
  let value = object
  for (const name of column) value = memberOf(value, name)
  return cellOf(value)
}

/** The line of cells. */
export const lineOf = (cells: readonly string[]): string => `${cells.join(',')}\r\n`

/** A member of an object; undefined if there is none. */
export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined

/** The cell of a value. */
export function cellOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value === '' ? '""' : toCsvCell(value)
  return typeof value === 'object' ? toCsvCell(JSON.stringify(value)) : String(value)
}
