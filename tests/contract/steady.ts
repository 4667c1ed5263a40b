/** What differs from run to run. Ids have a number within their response. */
const varying: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00| \+0000 UTC)/g, 'TIME'],
  [/(?<=signature=)[\w-]+/g, 'SIGNATURE'],
  [/(?<="processing_time":)[\d.]+/g, 'SECONDS'],
  [/(?:localhost|127\.0\.0\.1):\d+/g, 'HOST'],
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'TOKEN'],
  [/(?<=W\/")[^"]+(?=")/g, 'TAG'],
  [/(?<=page\[(?:after|before)\]=)[\w.-]+/g, 'CURSOR'],
  [/\d{8,}|0\.\d{5,}/g, 'NUMBER'],
  // Products that are made at once have numbers in any order.
  [/\b([Ss]een[ -])\d+/g, '$1NUMBER'],
  // All of it: a code may begin with a hyphen, or with small letters and a hyphen, as words do.
  [/(?<![\w-])(?![a-z_-]+(?![\w-]))[\w-]{26,}(?![\w-])/g, 'CODE'],
]

/** A response without what differs from run to run. */
export function steady(text: string): string {
  const ids = new Map<string, number>()
  const numbered = text.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, (id) => {
    if (!ids.has(id)) ids.set(id, ids.size)
    return `#${ids.get(id)}`
  })
  return varying.reduce((all, [pattern, word]) => all.replace(pattern, word), numbered)
}
