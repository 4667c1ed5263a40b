import type { Connection } from './database.ts'

/** Parts of a transaction that are undone while the transaction goes on. */

/** Keeps what `work` has written, unless it fails. */
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

/** Undoes what `work` has written, whether it fails or not. */
export async function undoAlways<T>(inside: Connection, work: () => Promise<T>): Promise<T> {
  await control(inside, 'SAVEPOINT part')
  try {
    const done = await work()
    // What the end of a transaction would refuse.
    await control(inside, 'SET CONSTRAINTS ALL IMMEDIATE')
    return done
  } finally {
    await undo(inside)
  }
}

// Released too: the savepoint around this one has the same name.
async function undo(inside: Connection): Promise<void> {
  await control(inside, 'ROLLBACK TO SAVEPOINT part')
  await control(inside, 'RELEASE SAVEPOINT part')
}

const control = (inside: Connection, text: string) => inside.run({ text, values: [] })
