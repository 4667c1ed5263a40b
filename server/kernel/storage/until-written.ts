import { LostRace } from '../errors.ts'

// Each lost race means that another write of the same object was stored: under load this ends, and does so soon.
const writeAttemptsMax = 50

/** Runs a write until no other one came between what it read and what it wrote: then it has a result. */
export async function untilWritten<T>(write: () => Promise<T | false | undefined>): Promise<T> {
  for (let attempt = 1; attempt <= writeAttemptsMax; attempt++) {
    const result = await write()
    if (result) return result
  }
  throw new LostRace()
}
