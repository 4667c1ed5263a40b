import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { perInstance } from '../work/per-instance.ts'
import { type Asker, networkOf } from './attempts.ts'
import { Turns } from './turns.ts'

// Node has four threads for what blocks, also for files and the names of hosts: one stays free for them.
const atOnceMax = Math.min(3, availableParallelism())
/** Some ten seconds of work for one processor. */
const waitingMax = 400

const turns = perInstance(() => new Turns(atOnceMax, waitingMax))

/** Runs what hashes: a server's requests take turns with each address's. */
export const inTurn = <T>(asker: Asker, run: () => Promise<T>): Promise<T> =>
  turns(asker.instance).take(whoseTurn(asker), run)

const whoseTurn = ({ who, clientAddress }: Asker): string => {
  if (who.kind === 'client_credentials') return `key ${who.keyId}`
  return clientAddress === undefined ? 'jobs' : `address ${networkOf(clientAddress)}`
}

/** A hash (argon2id) of what a person chose: slow, so that who reads it cannot try all that they might have chosen. */
export const slowHash = (asker: Asker, chosen: string): Promise<string> => inTurn(asker, () => hash(chosen))

export const slowVerify = (asker: Asker, hashed: string, tried: string): Promise<boolean> =>
  inTurn(asker, () => verify(hashed, tried))
