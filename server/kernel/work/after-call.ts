import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../errors.ts'
import type { Work } from './context.ts'

/** Another request has called another server about the same object, and has no answer yet. */
export class CallUnderWay extends Problem {
  constructor(
    detail = 'An earlier request about the same object waits for another server. Send the request again when it has ended.',
  ) {
    super('conflict', detail)
  }
}

/** The pauses between the tries: few, as each locks the object. Together longer than most servers take. */
const pausesMs = [100, 200, 400, 800, 1_600, 3_200, 6_400]

/**
 * Runs again as long as it fails because a call is under way. A call that takes too long is the answer: 409. So is any
 * in a dry run, whose locks that call would wait for.
 */
export async function afterCall<T>({ isRehearsal }: Work, run: () => Promise<T>): Promise<T> {
  if (isRehearsal) return run()
  for (const pauseMs of pausesMs) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof CallUnderWay)) throw error
    }
    await sleep(pauseMs)
  }
  return run()
}
