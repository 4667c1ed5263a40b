import { LostRace } from '../errors.ts'

// Each lost race means that another write of the same object succeeded, so this ends soon even under load.
const writeAttemptsMax = 50

/** Runs a write until it has a result, which means that no other write came between its read and its write. */
export async function untilWritten<T>(write: () => Promise<T | false | undefined>): Promise<T> {
  for (let attempt = 1; attempt <= writeAttemptsMax; attempt++) {
    const result = await write()
    if (result) return result
  }
  throw new LostRace()
}
