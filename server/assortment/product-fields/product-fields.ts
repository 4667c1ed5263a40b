import type { Link } from '../../kernel/declare/relationship.ts'
import { named } from '../../kernel/openapi/named-schemas.ts'
import {
  choice,
  type Fields,
  field,
  flag,
  group,
  integer,
  type JsonSchema,
  list,
  map,
  readOnlyObject,
  reference,
  type ShownValues,
  text,
  type Values,
} from '../../kernel/shape/fields.ts'

export const productTypes = ['standard', 'parent', 'child', 'bundle'] as const

const names = { type: 'string', minLength: 1, maxLength: 255 } as const

/** The maximum lengths of translated texts. */
export const localeLengths = { name: 1024, description: 7600 } as const

const locales = {
  type: 'object',
  maxProperties: 1000,
  propertyNames: names,
  additionalProperties: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { ...names, maxLength: localeLengths.name },
      description: { type: 'string', maxLength: localeLengths.description },
    },
  },
} as const

const customInputs = {
  type: 'object',
  maxProperties: 1000,
  propertyNames: names,
  additionalProperties: {
    type: 'object',
    properties: {
      name: names,
      required: { type: 'boolean' },
      validation_rules: {
        type: 'array',
        maxItems: 100,
        items: {
          type: 'object',
          required: ['type'],
          properties: {
            type: { enum: ['string'] },
            options: {
              type: 'object',
              properties: { max_length: { type: 'integer', minimum: 1, maximum: 255 } },
            },
          },
        },
      },
    },
  },
} as const

const combinations = {
  type: 'array',
  maxItems: 10_000,
  items: { type: 'array', minItems: 1, maxItems: 100, items: names },
} as const

const buildRules = {
  type: 'object',
  required: ['default'],
  properties: {
    default: { enum: ['include', 'exclude'] },
    include: combinations,
    exclude: combinations,
  },
} as const

/** Which children a product has: combinations of options, by their ids. */
export interface BuildRules {
  readonly default: 'include' | 'exclude'
  readonly include?: readonly (readonly string[])[]
  readonly exclude?: readonly (readonly string[])[]
}

const sortOrder = integer({ nullable: true, about: 'The position in a storefront.' })
const quantity = { min: 1, nullable: true } as const

const optionMembers = {
  id: reference('product', { required: true, about: 'The id of a product or of another bundle.' }),
  type: choice(['product'], { required: true }),
  quantity: integer({ required: true, min: 1, about: 'The quantity of this product in the bundle.' }),
  min: integer({ ...quantity, about: 'The minimum quantity that a shopper may choose. Requires `max`.' }),
  max: integer({ ...quantity, about: 'The maximum quantity that a shopper may choose. Requires `min`.' }),
  sort_order: sortOrder,
  default: flag({ about: 'Whether this option is selected by default.' }),
}

/** The components of a bundle. `more` are further members of their options. */
export function componentsOf<const M extends Fields>(more: M) {
  const option = group({ ...optionMembers, ...more }, {})
  const component = group(
    {
      name: text({
        min: 1,
        max: 255,
        about: 'The name shown to shoppers. The default is the key of the component.',
      }),
      options: list(option, {
        required: true,
        maxItems: 1500,
        about: 'The options that a shopper may choose from.',
      }),
      min: integer({
        min: 0,
        nullable: true,
        about: 'The minimum number of options that a shopper chooses.',
      }),
      max: integer({
        min: 0,
        nullable: true,
        about: 'The maximum number of options that a shopper chooses.',
      }),
      sort_order: sortOrder,
    },
    {},
  )
  return map(component, {
    maxKeys: 1500,
    about: 'Bundles only: the components, each a choice between options.',
  })
}

const componentMap = componentsOf({})
export type Components = NonNullable<Values<{ it: typeof componentMap }>['it']>

const attribute = text({ max: 65_535 })

/** The fields that merchants set. */
const merchantFields = {
  name: text({ required: true, min: 1, max: 500, about: 'The name shown to shoppers.', example: 'Rye loaf' }),
  commodity_type: choice(['physical', 'digital'], {
    required: true,
    about: 'Physical products are shipped; digital products are not.',
  }),
  sku: text({ nullable: true, min: 1, max: 500, about: 'Unique in the store.', example: 'LOAF-RYE' }),
  slug: text({
    nullable: true,
    min: 1,
    max: 500,
    pattern: /^[A-Za-z0-9._{}-]+$/,
    about: 'The part of a URL that names the product. Unique in the store.',
    example: 'rye-loaf',
  }),
  status: choice(['draft', 'live'], { default: 'draft', about: 'Only live products are published.' }),
  description: text({ nullable: true, about: 'The description shown to shoppers.' }),
  upc_ean: text({ nullable: true, max: 255, about: 'The UPC or EAN number.' }),
  mpn: text({ nullable: true, max: 255, about: 'The part number of the manufacturer.' }),
  external_ref: text({ nullable: true, max: 2048, about: 'The id in an external system.' }),
  tags: list(text({ min: 1, max: 255, pattern: /^[^\s,]+$/ }), {
    maxItems: 20,
    about: 'Tags to find and group products by. Stored in lower case.',
  }),
  locales: field<Readonly<Record<string, { name: string; description?: string }>> | null | undefined>(
    locales,
    {
      nullable: true,
      about: 'Translated names and descriptions, by language. An update replaces all of them.',
    },
  ),
  admin_attributes: map(attribute, { about: 'Attributes for the merchant only.' }),
  shopper_attributes: map(attribute, { about: 'Attributes that shoppers see too.' }),
  custom_inputs: field<object | null | undefined>(customInputs, {
    nullable: true,
    about: 'Texts that shoppers may enter, such as an engraving. An update replaces all of them.',
  }),
  build_rules: field<BuildRules | null | undefined>(buildRules, {
    nullable: true,
    about: 'The combinations of options that children are built for.',
  }),
  components: componentMap,
}

const own = { hidden: true, readOnly: true } as const

const variationOption = group(
  {
    id: reference('product-variation-option', { required: true }),
    name: text({ required: true }),
    description: text({ nullable: true }),
    sort_order: integer({}),
  },
  {},
)

const variationMembers = {
  id: reference('product-variation', { required: true }),
  name: text({ required: true }),
  sort_order: integer({}),
}

const parentVariation = { ...variationMembers, options: list(variationOption, { required: true }) }
const childVariation = { ...variationMembers, option: { ...variationOption, options: { required: true } } }

/** The variations of a product, as responses show them. */
export const shownVariations = {
  /** For a parent: the options that its children were built from. */
  ofParent: group(parentVariation, {}),
  /** For a child: its option of the variation. */
  ofChild: group(childVariation, {}),
  /** The public contract shows merchants `options: null` here. */
  ofChildOfMerchant: group(
    { ...childVariation, options: field<null>({ type: 'null' }, { required: true }) },
    {},
  ),
}

/** A variation of a child, and the option of the child. */
export interface ChildVariation {
  readonly id: string
  readonly name: string
  readonly sort_order?: number | undefined
  readonly options: null
  readonly option: ProductVariation['options'][number]
}

/** A variation of a product, and the options that its children were built from. */
export type ProductVariation = ShownValues<typeof parentVariation>

/** The ids of children by the ids of their options: variations are nested in the order of their links. */
export interface VariationMatrix {
  readonly [optionId: string]: string | VariationMatrix
}

const below: { anyOf: JsonSchema[] } = { anyOf: [{ type: 'string', format: 'uuid' }] }
const matrix = named('VariationMatrix', { type: 'object', additionalProperties: below })
below.anyOf.push(matrix)

/** The children of a parent, by their options. */
export const variationMatrix = field<VariationMatrix | undefined>(
  { type: 'object', additionalProperties: below },
  { about: 'Parents only: the ids of the children, by the ids of their options.' },
)
/** The fields that the server sets. `meta` and `relationships` show them: see `product-links.ts`. */
const serverFields = {
  product_type: choice(productTypes, { ...own, default: 'standard' }),
  /** Children only. */
  parent_id: text(own),
  child_variations: field<readonly ChildVariation[] | undefined>({ type: 'array' }, own),
  /** The child was changed by itself, so builds do not change it. */
  edited: flag(own),
  /** Parents only. */
  variations: field<readonly ProductVariation[] | undefined>({ type: 'array' }, own),
  variation_matrix: field<VariationMatrix | undefined>({ type: 'object' }, own),
  /** The slugs of the attached custom relationships. */
  custom_relationships: list(text({}), own),
  relationships: readOnlyObject<{ readonly main_image?: { readonly data: Link } }>({}, { hidden: true }),
}

export const productFields = { ...merchantFields, ...serverFields }
export type ProductFields = typeof productFields
export type Product = Values<ProductFields>
