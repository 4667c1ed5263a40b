/**
 * What the console knows of the API. `build/` writes it from docs/openapi.json: an index with all resources, and a file
 * with the fields of each, which is loaded when a screen needs it.
 */

export type ValueType = 'text' | 'uuid' | 'time' | 'number' | 'integer' | 'boolean'

export interface FilterField {
  readonly type: ValueType
  readonly operators: readonly string[]
}

/** What a caller must be allowed to: `write accounts`, in the words of the server's refusals. */
export type Right = string

/** An operation that writes. */
export interface Write {
  readonly right: Right
  readonly method: 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  /** The object may be named by the version that the client has read. */
  readonly ifMatch: boolean
  /** The server answers what it would do. */
  readonly dryRun: boolean
  /** The same request with the same key is carried out once. */
  readonly keyed: boolean
  /** It takes a file. */
  readonly isUpload?: boolean
}

/** A resource: a list of the API, with what may be done to its objects. */
export interface Resource {
  /** The id of the list operation, without `list-`. */
  readonly id: string
  readonly title: string
  /** What its objects are called in a sentence, one and many: `account`, `accounts`. */
  readonly noun: readonly [one: string, many: string]
  readonly tag: string
  readonly group: string
  /** The `type` of its objects. */
  readonly type: string
  /** The path of the list, with `{name}` for each parent. */
  readonly path: string
  /** The path of one object; undefined if objects are only listed. That of the only object is `path`. */
  readonly item?: string
  readonly filter: Readonly<Record<string, FilterField>>
  readonly sort: readonly string[]
  readonly order?: string
  readonly offsetMax?: number
  /** It is answered as a whole, without pages. */
  readonly isWhole?: boolean
  /** The right to read it. */
  readonly right: Right
  readonly create?: Write
  readonly update?: Write
  readonly remove?: Write
  /** What the store has added: the entries of a custom API, or of a flow. */
  readonly own?: 'custom-api' | 'flow'
  /** The id of its parent, where the path has another name for that. */
  readonly parentId?: string
}

/** How a value is shown and edited. */
export type FieldKind =
  | 'text'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'choice'
  | 'time'
  /** The id of an object, and the ids of several. */
  | 'reference'
  | 'references'
  /** A list of texts. */
  | 'words'
  /** An amount in the smallest unit of a currency, and amounts in several currencies. */
  | 'money'
  | 'amounts'
  /** A list of objects, and values by names that are free. */
  | 'objects'
  | 'map'
  /** The content of a file. */
  | 'file'
  | 'json'

/** A value of an object. `path` leads to it from `data`: `attributes.name`. */
export interface FieldFacts {
  readonly path: string
  readonly kind: FieldKind
  readonly about?: string
  /** What the store calls a field of its own. */
  readonly label?: string
  readonly required?: boolean
  readonly nullable?: boolean
  readonly secret?: boolean
  readonly min?: number
  readonly max?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly choices?: readonly string[]
  readonly refers?: string
  /** A text that names an object of a type, by the value that it has at a path: the SKU of a product. */
  readonly keyOf?: { readonly type: string; readonly path: string }
  /** References are objects `{ type, id }` of this type; without it they are ids. */
  readonly linkType?: string
  /** The fields of each object of a list, or of each value of a map. */
  readonly inside?: readonly FieldFacts[]
  /** Where the code of the currency of an amount is; without it the object says which it is in. */
  readonly currencyAt?: string
  readonly example?: unknown
  readonly default?: unknown
}

/** The body of a write. Without fields it is any JSON. */
export interface Body {
  /** The value of `data.type`. */
  readonly type?: string
  /** Sent as a form, because it has a file. */
  readonly isForm?: boolean
  readonly fields: readonly FieldFacts[]
  readonly example?: unknown
}

/** What can be done with an object beside changing and deleting it. */
export interface Action {
  readonly title: string
  readonly about?: string
  readonly write: Write
  readonly body?: Body
  /** It acts on what the filter of the list matches. */
  readonly takesFilter?: boolean
  /** The field whose value is the last parameter of the path. */
  readonly idAt?: string
}

/** Objects that are added to another one, and taken from it. */
export interface Relationship {
  readonly title: string
  /** Where they are read. */
  readonly path: string
  readonly right: Right
  /** The ids of the objects; a single one if there can be only one. */
  readonly field: FieldFacts
  readonly add?: Write
  readonly replace?: Write
  readonly remove?: Write
}

/** A list whose objects refer to those of a resource. */
export interface Referrer {
  /** The id of the list. */
  readonly list: string
  /** The filter that finds those which refer to an object, and its operator. */
  readonly filter?: string
  readonly operator?: string
  /** Where the references are in the objects of a list that has no such filter. */
  readonly paths?: readonly string[]
  /** Where the object has the value that they refer to it by: its id, or its SKU. */
  readonly of: string
  /** The id of the list that creates them, and the field of its form that has the reference. */
  readonly creator?: string
  readonly preset?: string
}

/** A way to add an object to one of another resource: a product to a node. */
export interface Join {
  /** The id of the list of the other objects. */
  readonly to: string
  readonly write: Write
  /** References are objects `{ type, id }` of this type; without it they are ids. */
  readonly linkType?: string
}

/** The fields of a resource, and what can be done with its objects. */
export interface ResourceFields {
  readonly shown: readonly FieldFacts[]
  readonly create?: Body
  readonly update?: Body
  readonly actions?: readonly Action[]
  /** What can be done with the list as a whole. */
  readonly listActions?: readonly Action[]
  readonly relationships?: readonly Relationship[]
  /** What refers to its objects, and what they can be added to. */
  readonly referrers?: readonly Referrer[]
  readonly joins?: readonly Join[]
}
