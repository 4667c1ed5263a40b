import type { Resource } from '../../server/kernel/declare/resource.ts'
import type { Client } from './client.ts'
import type { Samples } from './samples.ts'

type Data = { readonly id: string } & Readonly<Record<string, unknown>>
type By<T> = Readonly<Record<string, T>>

/** What the suite needs to call a module's operations with success, beyond its declarations. */
export interface ModuleSamples {
  /** Resources that a request defines, in their final form. */
  readonly runTime?: readonly Resource[]
  /** By noun: makes an object that has no create operation. */
  readonly makers?: By<(client: Client, samples: Samples, collection: string) => Promise<Data>>
  /**
   * By noun, or by operation and kind (`add-items.gift`): values of a create, or of an object of that kind, that
   * their schemas do not tell.
   */
  readonly completions?: By<(client: Client, samples: Samples, collection: string) => Promise<object>>
  /** Nouns whose rules need more than the required fields. */
  readonly needsAllFields?: readonly string[]
  /** Nouns whose create differs from others: it has another response, or a job changes the object afterwards. */
  readonly specialCreates?: readonly string[]
  /** Fields, each as `noun.field`, that accept no made-up value in an update. */
  readonly notInUpdates?: readonly string[]
  /** By the beginning of a path: creates what must exist below it. */
  readonly opens?: By<(client: Client, samples: Samples) => Promise<unknown>>
  /** By the segment before them: path parameters that are not objects. */
  readonly parameters?: By<(client: Client, samples: Samples) => Promise<string>>
  /** By operation: the address of a suitable object, where not every object is. */
  readonly paths?: By<(client: Client, samples: Samples) => Promise<string>>
  /** By operation: bodies without declared fields. */
  readonly bodies?: By<(client: Client, samples: Samples, path: string) => Promise<unknown>>
  /** By operation: required queries. */
  readonly queries?: By<string | ((client: Client, samples: Samples) => Promise<string>)>
  /** By kind of caller: how a shopper gets their token. */
  readonly signIns?: By<(client: Client, samples: Samples) => Promise<string>>
  /** Operations whose address names no object of a store. */
  readonly sameForAllStores?: readonly string[]
}
