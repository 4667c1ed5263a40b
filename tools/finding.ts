/** `warning`: it works, and may not for long. `fault`: it does not work, or loses writes. */
type Severity = 'ok' | 'warning' | 'fault'

/** One line of the doctor. */
export interface Examination {
  readonly subject: string
  readonly state: Severity
  readonly says: string
  /** What to do about it. */
  readonly advice: string
}

/** `about` is what is so; with `advice`, it is a warning, or a fault. */
export const finding = (
  subject: string,
  says: string,
  advice: string | false | undefined = '',
  state: Exclude<Severity, 'ok'> = 'warning',
): Examination => ({ subject, state: advice ? state : 'ok', says, advice: advice || '' })
