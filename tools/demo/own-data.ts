import type { Merchant } from './merchant.ts'
import type { DemoCustomer } from './people.ts'
import type { Sellable } from './products.ts'
import type { Random } from './random.ts'

/** A custom API and a flow, each with entries. */
export async function addOwnData(
  merchant: Merchant,
  customers: readonly DemoCustomer[],
  sellable: readonly Sellable[],
  random: Random,
): Promise<void> {
  await addOpeningHours(merchant)
  await addWishlists(merchant, customers, sellable, random)
}

const wishlistsMax = 100

async function addWishlists(
  merchant: Merchant,
  customers: readonly DemoCustomer[],
  sellable: readonly Sellable[],
  random: Random,
) {
  const path = '/v2/settings/extensions/custom-apis'
  const { id } = await merchant.create(path, 'wishlists', {
    ...{ type: 'custom_api', name: 'Wishlists', slug: 'wishlists', api_type: 'wishlist_ext' },
    description: 'What customers would like to have.',
  })
  const fields: readonly (readonly [slug: string, type: string, rules?: object])[] = [
    ['title', 'string', { max_length: 100 }],
    ['customer_email', 'string', { max_length: 200 }],
    ['skus', 'list', { allowed_type: 'string' }],
    ['is_public', 'boolean'],
  ]
  for (const [slug, field_type, rules = {}] of fields) {
    const name = slug.replace('_', ' ')
    await merchant.create(`${path}/${id}/fields`, `field ${slug}`, {
      ...{ type: 'custom_field', name, slug, field_type, validation: { [field_type]: rules } },
    })
  }
  const some = customers.slice(0, wishlistsMax)
  for (const [i, { name, email }] of some.entries()) {
    const skus = Array.from({ length: random.integer(1, 5) }, () => random.pick(sellable).sku)
    const title = `${name.split(' ')[0]}’s list`
    await merchant.create(
      '/v2/extensions/wishlists',
      i === some.length - 1 ? 'last wishlist' : `wishlist ${email}`,
      {
        ...{ type: 'wishlist_ext', title, customer_email: email, skus, is_public: random.chance(0.3) },
      },
    )
  }
}

const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const

async function addOpeningHours(merchant: Merchant) {
  const { id } = await merchant.create('/v2/flows', 'opening hours', {
    ...{ type: 'flow', name: 'Opening hours', slug: 'opening-hours', enabled: true },
    description: 'When the shop in Mill Lane is open.',
  })
  for (const [order, slug] of ['day', 'opens', 'closes'].entries()) {
    await merchant.create('/v2/fields', `flow field ${slug}`, {
      ...{ type: 'field', name: slug, slug, description: '', field_type: 'string', order, required: true },
      ...{ enabled: true, relationships: { flow: { data: { type: 'flow', id } } } },
    })
  }
  for (const day of days) {
    const hours =
      day === 'Saturday' ? { opens: '10:00', closes: '16:00' } : { opens: '9:00', closes: '18:30' }
    await merchant.create('/v2/flows/opening-hours/entries', `hours ${day}`, { type: 'entry', day, ...hours })
  }
}
