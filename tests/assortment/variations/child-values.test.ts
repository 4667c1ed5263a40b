import { describe, expect, test } from 'vitest'
import {
  type BuildOption,
  type ChildValues,
  childrenOf,
  type Modifier,
} from '../../../server/assortment/variations/child-values.ts'

const childValues = (parent: ChildValues, options: readonly BuildOption[]) => childrenOf(parent)(options)

const option = (name: string, ...modifiers: Modifier[]) => ({ id: name, name, modifiers })

describe('SKU and slug', () => {
  test('end in the names of the options, in the order of the variations', () => {
    const parent = { sku: '978055216732567', slug: 'jeans' }
    const names = [option('Medium'), option('Green'), option('Wool')]
    expect(childValues(parent, names)).toEqual({
      sku: '978055216732567MediumGreenWool',
      slug: 'jeansMediumGreenWool',
    })
    expect(childValues(parent, names.toReversed()).sku).toBe('978055216732567WoolGreenMedium')
    expect(childValues(parent, [option('Red')]).slug).toBe('jeansRed')
  })

  test('leave out the names of options with a modifier of the field', () => {
    const small = option('Small', { type: 'slug_append', value: '-small' })
    expect(childValues({ sku: 'shirt', slug: 'shirt' }, [small])).toEqual({
      sku: 'shirtSmall',
      slug: 'shirt-small',
    })
    expect(childValues({ sku: 'shirt', slug: 'shirt' }, [small, option('Red')])).toEqual({
      sku: 'shirtSmallRed',
      slug: 'shirt-smallRed',
    })
  })

  test('are filled in by builders', () => {
    const medium = option('Medium', { type: 'sku_builder', seek: '{SIZE}', set: 'MEDIUM' })
    const red = option('Red', { type: 'sku_builder', seek: '{COLOR}', set: 'RED$&' })
    const { sku } = childValues({ sku: 'BASIC-SHIRT-{SIZE}-{COLOR}-{SIZE}' }, [medium, red])
    expect(sku).toBe('BASIC-SHIRT-MEDIUM-RED$&-MEDIUM')
  })

  test('are absent if the parent has none, unless a modifier sets one', () => {
    expect(childValues({ sku: null }, [option('Red')])).toEqual({ sku: null })
    expect(childValues({}, [option('Red')])).toEqual({})
    const modifierOption = option('Red', { type: 'sku_equals', value: 'red-one' })
    expect(childValues({ sku: null }, [modifierOption, option('Small')]).sku).toBe('red-oneSmall')
    const built = option('Red', { type: 'sku_builder', seek: '{X}', set: 'x' })
    expect(childValues({ sku: null }, [built]).sku).toBeNull()
    expect(childValues({}, [built])).toStrictEqual({})
  })
})

test('an option sets values first, then fills in, then prepends and appends; the next option follows', () => {
  const first = option(
    'one',
    { type: 'name_append', value: ' (after)' },
    { type: 'name_prepend', value: '(before) ' },
    { type: 'name_equals', value: 'Set' },
    { type: 'slug_append', value: '-a' },
    { type: 'slug_builder', seek: '{P}', set: 'p' },
    { type: 'slug_equals', value: 'x-{P}' },
  )
  const second = option('two', { type: 'name_append', value: '!' }, { type: 'slug_prepend', value: 'b-' })
  expect(childValues({ name: 'Shirt', slug: 'shirt' }, [first, second])).toEqual({
    name: '(before) Set (after)!',
    slug: 'b-x-p-a',
  })
  const last = option('three', { type: 'name_equals', value: 'Last' })
  expect(childValues({ name: 'Shirt' }, [first, last]).name).toBe('Last')
})

test('other values come from the parent or from a modifier, except external ids and components', () => {
  const parent = {
    name: 'Shirt',
    description: 'Warm.',
    status: 'draft',
    commodity_type: 'physical',
    mpn: 'm-1',
    upc_ean: '1234',
    tags: ['new'],
    locales: { 'fr-FR': { name: 'Chemise' } },
    custom_inputs: { front: { name: 'Front' } },
    admin_attributes: { bin: '7' },
    shopper_attributes: { care: 'cold' },
  } as const
  const own = {
    external_ref: 'x-1',
    build_rules: { default: 'include' },
    variation_matrix: { a: 'b' },
  } as const
  expect(childValues({ ...parent, ...own }, [option('Red')])).toEqual(parent)
  const changed = option(
    'Red',
    { type: 'status', value: 'live' },
    { type: 'commodity_type', value: 'digital' },
    { type: 'description_prepend', value: 'Red. ' },
    { type: 'mpn_equals', value: 'm-2' },
    { type: 'upc_ean_equals', value: '5678' },
    { type: 'external_ref_equals', value: 'x-2' },
    { type: 'locales_equals', value: '{"de-DE":{"name":"Hemd"}}' },
    { type: 'custom_inputs_equals', value: '{}' },
    { type: 'build_rules_equals', value: '{"default":"exclude"}' },
    { type: 'price', value: 'of a price book' },
  )
  expect(childValues(parent, [changed])).toEqual({
    ...parent,
    status: 'live',
    commodity_type: 'digital',
    description: 'Red. Warm.',
    mpn: 'm-2',
    upc_ean: '5678',
    external_ref: 'x-2',
    locales: { 'de-DE': { name: 'Hemd' } },
    custom_inputs: {},
    build_rules: { default: 'exclude' },
  })
})

describe('texts in other languages', () => {
  const parent = {
    name: 'Shirt',
    description: 'Warm.',
    locales: { fr: { name: 'Chemise', description: 'Chaude.' }, de: { name: 'Hemd' } },
  } as const

  test('follow the modifiers of the name and the description, in the order of those', () => {
    const small = option(
      'S',
      { type: 'name_append', value: ' S' },
      { type: 'description_prepend', value: 'S: ' },
    )
    const red = option('Red', { type: 'name_prepend', value: '(2) ' })
    expect(childValues(parent, [small, red])).toEqual({
      name: '(2) Shirt S',
      description: 'S: Warm.',
      // German shoppers see the description of the child itself.
      locales: { fr: { name: '(2) Chemise S', description: 'S: Chaude.' }, de: { name: '(2) Hemd S' } },
    })
    const set = option('L', { type: 'name_equals', value: 'Tunic' })
    expect(childValues(parent, [set]).locales?.de).toEqual({ name: 'Tunic' })
  })

  test('that an option sets stay as set, whatever it changes in the name', () => {
    const small = option(
      'S',
      { type: 'locales_equals', value: '{"fr":{"name":"Petite chemise"}}' },
      { type: 'name_append', value: ' S' },
    )
    const red = option('Red', { type: 'name_append', value: ', 2' })
    expect(childValues(parent, [small, red])).toEqual({
      ...parent,
      name: 'Shirt S, 2',
      locales: { fr: { name: 'Petite chemise, 2' } },
    })
  })

  test('are absent if the parent has none', () => {
    const small = option('S', { type: 'name_append', value: ' S' })
    expect(childValues({ name: 'Shirt' }, [small])).toStrictEqual({ name: 'Shirt S' })
  })
})
