export const number = new Intl.NumberFormat('en')

const rules = new Intl.PluralRules('en')

/** A count with its noun: "1 account", "1,000 accounts". */
export const counted = (n: number, one: string, many: string) =>
  `${number.format(n)} ${rules.select(n) === 'one' ? one : many}`

/** A size of a file: "812 B", "3.4 MB". */
export function sizeText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB']
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  const format = new Intl.NumberFormat('en', { maximumFractionDigits: step ? 1 : 0 })
  return `${format.format(bytes / 1000 ** step)} ${units[step]}`
}

/** A duration in its largest unit: "45 seconds", "3 minutes". */
export function durationText(seconds: number): string {
  if (seconds < 90) return counted(Math.max(Math.round(seconds), 1), 'second', 'seconds')
  if (seconds < 5400) return counted(Math.round(seconds / 60), 'minute', 'minutes')
  return counted(Math.round(seconds / 3600), 'hour', 'hours')
}
