/** SQL as people write it: the catalog has the same with more casts, quotes and parentheses, and on one line. */
export const plainSql = (sql: string): string => wrapped(withFewParentheses(withShortWords(sql)))

const withShortWords = (sql: string): string =>
  sql
    .replaceAll('timestamp(3) with time zone', 'timestamptz(3)')
    .replaceAll('timestamp with time zone', 'timestamptz')
    .replaceAll(' without time zone', '')
    .replaceAll(' USING btree ', ' ')
    .replaceAll(' ON ONLY ', ' ON ')
    .replaceAll('COALESCE(', 'coalesce(')
    .replace(/('(?:[^']|'')*')::(?:text\[\]|text|jsonb|json|timestamptz)/g, '$1')
    .replace(/'(\d+)'::bigint/g, '$1')
    .replace(/\((\d+)\)::(?:bigint|numeric|double precision)/g, '$1')
    .replace(/"(position|values|left)"/g, '$1')
    .replace(/ = ANY \(ARRAY\[(.*?)\]\)/g, ' IN ($1)')
    .replace(/REFERENCES (\w+)\(/g, 'REFERENCES $1 (')
    .replace(/ (->>?|#>>?) /g, '$1')
    .replace(/\s*\n\s*/g, ' ')
    .replace(/\( (?=CASE )/g, '(')
    .replaceAll(' ELSE NULL::uuid END', ' END')
    .replace(/(?<!\w)\((\w+)\)::/g, '$1::')

interface Group {
  readonly start: number
  readonly end: number
}

function groupsIn(sql: string): readonly Group[] {
  const groups: Group[] = []
  const open: number[] = []
  let isQuoted = false
  for (let i = 0; i < sql.length; i++) {
    if (sql[i] === "'") isQuoted = !isQuoted
    if (isQuoted) continue
    if (sql[i] === '(') open.push(i)
    if (sql[i] === ')') groups.push({ start: open.pop() ?? 0, end: i })
  }
  return groups
}

/** An expression without what is in its strings and parentheses. */
function outermost(sql: string): string {
  let text = sql.replace(/'[^']*'/g, "''")
  for (let last = ''; last !== text; ) {
    last = text
    text = text.replace(/\([^()]*\)/g, '_')
  }
  return text
}

const path = /^[\w.]+((->>?|#>>?)('[^']*'|\d+))+$/

/** Whether an expression means the same without these parentheses. When in doubt they stay. */
function isRedundant(sql: string, { start, end }: Group, isInCall: boolean): boolean {
  const [before, content, after] = [sql.slice(0, start), sql.slice(start + 1, end), sql.slice(end + 1)]
  if (/\w$/.test(before)) return false
  if (before.endsWith('(') && after.startsWith(')')) return true
  if (isInCall && /[(,] ?$/.test(before) && /^[,)]/.test(after)) return true
  if (path.test(content)) return /^(->|#>| (IS|=|<>|IN|~) ?)/.test(after) && !/[-|>]\s?$/.test(before)
  if (/ WHEN $/.test(before)) return after.startsWith(' THEN ')
  const isSum = /^\w+( \+ \w+)+$/.test(outermost(content))
  if (isSum) return /^ (\+|<=) /.test(after) && /(\(|AND )$/.test(before)
  if (/ WHERE $/.test(before)) return after === ';'
  if (/^ OR /.test(after) && /\($/.test(before) && !/ AND /.test(outermost(content))) return true
  const isOperand = /(\(|WHERE | AND | OR )$/.test(before) && /^(\)|$| AND | OR )/.test(after)
  return isOperand && !/ (AND|OR) /.test(outermost(content)) && !/\w\($/.test(before)
}

function withFewParentheses(sql: string): string {
  const groups = groupsIn(sql)
  for (const group of groups) {
    const around = groups
      .filter(({ start, end }) => start < group.start && end > group.end)
      .sort((one, other) => other.start - one.start)[0]
    const isInCall = around !== undefined && /\w$/.test(sql.slice(0, around.start))
    if (isRedundant(sql, group, isInCall)) {
      const { start, end } = group
      return withFewParentheses(sql.slice(0, start) + sql.slice(start + 1, end) + sql.slice(end + 1))
    }
  }
  return sql
}

const longest = 120
const breaks = [
  / RETURNS /g,
  / SET /g,
  / REFERENCES /g,
  / WHERE /g,
  / INCLUDE /g,
  / FOR EACH ROW /g,
  / EXECUTE /g,
  / ADD /g,
  / \(store_id, /g,
  / STORED/g,
  / OR /g,
  / AND /g,
  / \|\| /g,
  /, /g,
]

/** Continues a long line on the next one, before a word that begins a clause. */
function wrapped(line: string, room = longest): string {
  if (line.length <= room || line.includes('\n')) return line
  const indent = /^ */.exec(line)?.[0] ?? ''
  for (const pattern of breaks) {
    const places = [...line.matchAll(pattern)]
      .map(({ index, 0: text }) => index + text.search(/ /))
      .filter((place) => place <= room && (line.slice(0, place).match(/'/g) ?? []).length % 2 === 0)
    const place = places.at(-1)
    if (place === undefined || place < 24) continue
    const rest = wrapped(`${indent}  ${line.slice(place + 1)}`, room)
    return `${line.slice(0, place)}\n${rest.replace(/\n {2}(?= )/g, '\n')}`
  }
  return line
}

/** A routine, with its head in one line and the usual quotes around its body. */
export function plainRoutine(sql: string): string {
  const [, head = '', quote = '', body = ''] = /^(.*?)\nAS (\$\w+\$)(.*)\2;$/s.exec(sql) ?? []
  if (!quote) return sql
  const plainHead = head
    .replace('CREATE OR REPLACE', 'CREATE')
    .replace(/\n +/g, ' ')
    .replace(/([(,] ?)IN (?=\w)/g, '$1')
    .replace(/DEFAULT NULL::\w+/g, 'DEFAULT NULL')
    .replaceAll(' without time zone', '')
    .replaceAll('timestamp with time zone', 'timestamptz')
    .replace(/('[^']*')::(?:text\[\]|text|uuid\[\])/g, '$1')
    .replace(/ SET "?([\w.]+)"? TO '([\w.]+)'/g, ' SET $1 = $2')
  const mark = body.includes('$$') ? quote : '$$'
  return `${wrapped(plainHead, longest - ' AS $$'.length)} AS ${mark}${body}${mark};`
}
