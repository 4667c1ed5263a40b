import type { Resource } from '../../server/kernel/declare/resource.ts'
import type { Work } from '../../server/kernel/work/context.ts'
import type { Client } from './client.ts'
import type { Specimen } from './specimens.ts'

type Data = { readonly id: string } & Readonly<Record<string, unknown>>
type By<T> = Readonly<Record<string, T>>

/** An object and its address. */
export interface Sample {
  readonly id: string
  /** The last segment of its path. */
  readonly key: string
  readonly collection: string
  readonly path: string
  // biome-ignore lint/suspicious/noExplicitAny: as for Reply.
  readonly body: any
}

/** The objects that the samples of one module have of the others: see builders/samples.ts. */
export interface SharedSamples {
  /** The context of the store, for what no API does. */
  readonly work: Work
  /** The specimen that `make` takes. */
  named(name: string): Specimen
  path(pattern: string): Promise<string>
  shared(specimen: Specimen, collection: string): Promise<Sample>
  make(specimen: Specimen, at?: string, fields?: Record<string, unknown>): Promise<Sample>
}

/** What the suite needs to call a module's operations with success, beyond its declarations. */
export interface ModuleSamples {
  /** Resources that a request defines, in their final form. */
  readonly runTime?: readonly Resource[]
  /** By noun: makes an object that has no create operation. */
  readonly makers?: By<(client: Client, samples: SharedSamples, collection: string) => Promise<Data>>
  /**
   * By noun, or by operation and kind (`add-items.gift`): values of a create, or of an object of that kind, that
   * their schemas do not tell.
   */
  readonly completions?: By<(client: Client, samples: SharedSamples, collection: string) => Promise<object>>
  /** Nouns whose rules need more than the required fields. */
  readonly needsAllFields?: readonly string[]
  /** Nouns whose create differs from others: it has another response, or a job changes the object afterwards. */
  readonly specialCreates?: readonly string[]
  /** Fields, each as `noun.field`, that accept no made-up value in an update. */
  readonly notInUpdates?: readonly string[]
  /** By the beginning of a path: creates what must exist below it. */
  readonly opens?: By<(client: Client, samples: SharedSamples) => Promise<unknown>>
  /** By the segment before them: path parameters that are not objects. */
  readonly parameters?: By<(client: Client, samples: SharedSamples) => Promise<string>>
  /** By operation: the address of a suitable object, where not every object is. */
  readonly paths?: By<(client: Client, samples: SharedSamples) => Promise<string>>
  /** By operation: bodies without declared fields. */
  readonly bodies?: By<(client: Client, samples: SharedSamples, path: string) => Promise<unknown>>
  /** By operation: required queries. */
  readonly queries?: By<string | ((client: Client, samples: SharedSamples) => Promise<string>)>
  /** By kind of caller: how a shopper gets their token. */
  readonly signIns?: By<(client: Client, samples: SharedSamples) => Promise<string>>
  /** Operations whose address names no object of a store. */
  readonly sameForAllStores?: readonly string[]
}
