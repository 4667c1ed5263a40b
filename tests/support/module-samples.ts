import type { Resource } from '../../server/kernel/declare/resource.ts'
import type { Client } from './client.ts'
import type { Samples } from './samples.ts'

type Data = { readonly id: string } & Readonly<Record<string, unknown>>
type By<T> = Readonly<Record<string, T>>

/** What one must know of a module to call its operations with success, beyond what its declarations say. */
export interface ModuleSamples {
  /** Resources that a request makes, as they are then. */
  readonly runTime?: readonly Resource[]
  /** By noun: how one comes by an object that is not made by a create of its own. */
  readonly makers?: By<(client: Client, samples: Samples, collection: string) => Promise<Data>>
  /**
   * By noun, or by operation and kind (`add-items.gift`): values of a create, or of an object of that kind, that are
   * more than their schemas say.
   */
  readonly completions?: By<(client: Client, samples: Samples, collection: string) => Promise<object>>
  /** Nouns whose rules ask for more than the fields that are always required. */
  readonly wantedInFull?: readonly string[]
  /** Nouns whose create is not as all others are: it is answered otherwise, or a job goes on changing what it made. */
  readonly createdOtherwise?: readonly string[]
  /** Fields, each as `noun.field`, that no made-up value of is right in an update. */
  readonly notMadeUp?: readonly string[]
  /** By what paths begin with: what must be there so that something is found at them. */
  readonly opens?: By<(client: Client, samples: Samples) => Promise<unknown>>
  /** By the segment before them: path parameters that are no object of ours. */
  readonly parameters?: By<(client: Client, samples: Samples) => Promise<string>>
  /** By operation: the address of an object that it can be done to, where not every one will do. */
  readonly paths?: By<(client: Client, samples: Samples) => Promise<string>>
  /** By operation: bodies that are not made of declared fields. */
  readonly bodies?: By<(client: Client, samples: Samples) => Promise<unknown>>
  /** By operation: queries that it cannot do without. */
  readonly queries?: By<string | ((client: Client, samples: Samples) => Promise<string>)>
  /** By kind of caller: how a shopper comes by the token that says who they are. */
  readonly signIns?: By<(client: Client, samples: Samples) => Promise<string>>
  /** Operations whose address names no object of one store: each store has the same answer, or one of its own. */
  readonly sharedByAll?: readonly string[]
}
