import type { Connection } from './database.ts'

/** Parts of a transaction that are undone while the transaction continues. */

/** Keeps the writes of `work`, unless it fails. */
export async function keepUnlessFailed<T>(inside: Connection, work: () => Promise<T>): Promise<T> {
  await control(inside, 'SAVEPOINT part')
  try {
    const done = await work()
    await control(inside, 'RELEASE SAVEPOINT part')
    return done
  } catch (error) {
    await undo(inside)
    throw error
  }
}

/** Undoes the writes of `work`, whether it fails or not. */
export async function undoAlways<T>(inside: Connection, work: () => Promise<T>): Promise<T> {
  await control(inside, 'SAVEPOINT part')
  try {
    const done = await work()
    // Checks now what the end of the transaction would check.
    await control(inside, 'SET CONSTRAINTS ALL IMMEDIATE')
    return done
  } finally {
    await undo(inside)
  }
}

// Also ends the savepoint, since the one around it has the same name.
async function undo(inside: Connection): Promise<void> {
  await control(inside, 'ROLLBACK TO SAVEPOINT part')
  await control(inside, 'RELEASE SAVEPOINT part')
}

const control = (inside: Connection, text: string) => inside.run({ text, values: [] })
