import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { perInstance } from '../work/per-instance.ts'
import { type CallerWork, networkOf } from './attempts.ts'
import { Turns } from './turns.ts'

// Node has four threads for blocking work, including files and DNS: one stays free for these.
const atOnceMax = Math.min(3, availableParallelism())
/** About ten seconds of work for one processor. */
const waitingMax = 400

const turns = perInstance(() => new Turns(atOnceMax, waitingMax))

/** Runs a hash. The requests of a server take turns with those of each address. */
export const inTurn = <T>(work: CallerWork, run: () => Promise<T>): Promise<T> =>
  turns(work.instance).take(whoseTurn(work), run)

const whoseTurn = ({ who, clientAddress }: CallerWork): string => {
  if (who.kind === 'client_credentials') return `key ${who.keyId}`
  return clientAddress === undefined ? 'jobs' : `address ${networkOf(clientAddress)}`
}

/**
 * The hash (argon2id) of a secret that a person chose. It is slow, so that a thief of the hash cannot try every likely
 * secret.
 */
export const slowHash = (work: CallerWork, chosen: string): Promise<string> =>
  inTurn(work, () => hash(chosen))

export const slowVerify = (work: CallerWork, hashed: string, tried: string): Promise<boolean> =>
  inTurn(work, () => verify(hashed, tried))
