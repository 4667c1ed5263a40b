// Each match is one step of the program, or says how often the step before it is repeated.
const tokens =
  /\\Q([\s\S]*?)(?:\\E|$)|\\[pPx]\{[^}]*\}|\\[\s\S]|\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]|\(\?[a-zA-Z-]*[:)]|\{(\d+)(?:(,)(\d*))?\}|[\s\S]/g

/** Estimates the number of steps of a regular expression from its text, before it is compiled. */
export function estimateSteps(regex: string): number {
  // For each open group: the steps before its last element, and the steps of that element, which a repetition may
  // follow.
  const open = [{ before: 0, last: 0, captures: 0 }]
  const add = (steps: number) => {
    const group = open.at(-1)
    if (!group) return
    group.before += group.last
    group.last = steps
  }
  for (const [token, quoted, least, more, most] of regex.matchAll(tokens)) {
    const group = open.at(-1) as (typeof open)[number]
    if (quoted !== undefined) add(quoted.length)
    else if (least !== undefined) group.last = repeated(group.last, Number(least), more ? most : least)
    else if (token.startsWith('(') && !token.endsWith(')')) {
      open.push({ before: 0, last: 0, captures: token === '(' ? 2 : 0 })
    } else if (token === ')' && open.length > 1) {
      open.pop()
      add(group.before + group.last + group.captures)
    } else if (/^[*+?]$/.test(token)) group.last += 1
    else add(1)
  }
  return open.reduce((steps, { before, last }) => steps + before + last, 0)
}

/** The steps of a repeated element. Each optional or open-ended repetition adds one. */
function repeated(steps: number, least: number, most = ''): number {
  if (most === '') return steps * Math.max(1, least) + 1
  return steps * least + (steps + 1) * Math.max(0, Number(most) - least)
}
