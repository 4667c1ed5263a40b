import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { attributesOf, makeHierarchy, namesIn, postNode } from '../../builders/assortment/hierarchies.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

describe('lists', () => {
  let h: string
  const ids: Record<string, string> = {}
  beforeAll(async () => {
    const { admin } = world
    h = (await makeHierarchy(admin, { name: 'Kitchen', slug: 'kitchen-list' })).id
    const node = async (name: string, more: object, parent = h) => {
      const { body } = await postNode(admin, h, { ...attributesOf(name), ...more }, { parent })
      ids[name] = body.data.id
    }
    await node('Pots', { locales: { 'es-ES': { name: 'Ollas', description: 'Una descripción' } } })
    await node('Iron pots', { description: 'Heavy' }, ids.Pots)
    await node('Small iron pots', {}, ids['Iron pots'])
    await node('Pans', { locales: { 'es-ES': { name: 'Sartenes' } } })
  })

  const all = ['Iron pots', 'Pans', 'Pots', 'Small iron pots']
  const below = ['Iron pots', 'Pots', 'Small iron pots']
  test.for<[string, string[]]>([
    ['eq(name,Pots)', ['Pots']],
    ['like(name,*pots)', ['Iron pots', 'Small iron pots']],
    ['ilike(name,*POTS)', below],
    ['eq(slug,iron-pots)', ['Iron pots']],
    ['eq(description,Heavy)', ['Iron pots']],
    ['eq(owner,store)', all],
    ['eq(owner,organization)', []],
    ['eq(has_children,true)', ['Iron pots', 'Pots']],
    ['eq(has_children,false)', ['Pans', 'Small iron pots']],
    ['eq(parent_id,{Pots})', ['Iron pots']],
    ['in(parent_id,{Pots},{Iron pots})', ['Iron pots', 'Small iron pots']],
    ['eq(breadcrumbs.id,{Pots})', below],
    ['in(breadcrumbs.id,{Iron pots},{Pans})', ['Iron pots', 'Pans', 'Small iron pots']],
    ['eq(breadcrumbs.name,Kitchen)', all],
    ['like(breadcrumbs.name,Iron*)', ['Iron pots', 'Small iron pots']],
    ['ilike(breadcrumbs.slug,*IRON-POTS)', ['Iron pots', 'Small iron pots']],
    ['eq(breadcrumbs.locales.es-ES.name,Ollas)', below],
    ['like(breadcrumbs.locales.es-ES.name,Sart*)', ['Pans']],
    ['eq(locales.es-ES.name,Ollas)', ['Pots']],
    ['like(locales.es-ES.description,*descripción*)', ['Pots']],
    ['eq(locales.fr-FR.name,Ollas)', []],
  ])('of nodes are filtered by %s', async ([filter, names]) => {
    const condition = filter.replace(/\{([^}]+)\}/g, (_, name: string) => ids[name] as string)
    const query = `?page[limit]=100&filter=${encodeURIComponent(condition)}`
    const reply = await world.admin.get(`/pcm/hierarchies/${h}/nodes${query}`)
    expect(namesIn(reply).sort()).toEqual(names)
    expect(reply.body.meta.results.total).toBe(names.length)
    const everywhere = await world.admin.get(
      `/pcm/hierarchies/nodes?filter=${encodeURIComponent(`eq(hierarchy_id,${h}):${condition}`)}`,
    )
    expect(namesIn(everywhere).sort()).toEqual(names)
  })

  test('of hierarchies have the filters of nodes', async () => {
    const list = (filter: string) => world.admin.get(`/pcm/hierarchies?filter=${encodeURIComponent(filter)}`)
    expect(namesIn(await list('like(slug,kitchen-l*)'))).toEqual(['Kitchen'])
    expect(namesIn(await list(`eq(hierarchy_id,${h})`))).toEqual(['Kitchen'])
    expect(namesIn(await list(`eq(breadcrumbs.id,${h})`))).toEqual(['Kitchen'])
    expect(namesIn(await list('ilike(name,KITCHEN)'))).toEqual(namesIn(await list('eq(name,Kitchen)')))
  })

  test('of all nodes include hierarchies on request', async () => {
    const { admin } = world
    const response = await admin.get(
      `/pcm/hierarchies/nodes?include_hierarchies=true&filter=in(id,${h},${ids.Pots})`,
    )
    expect(response.body.data.map(({ type }: { type: string }) => type)).toEqual(['node', 'hierarchy'])
    const root = await admin.get(`/pcm/hierarchies/${h}`)
    expect(response.body.data[1]).toEqual(root.body.data)
    const without = await admin.get(`/pcm/hierarchies/nodes?filter=in(id,${h},${ids.Pots})`)
    expect(namesIn(without)).toEqual(['Pots'])
    const inside = await admin.get(
      `/pcm/hierarchies/nodes?include_hierarchies=true&filter=eq(hierarchy_id,${h})`,
    )
    expect(namesIn(inside).sort()).toEqual([...all, 'Kitchen'].sort())
    expect((await admin.get('/pcm/hierarchies/nodes?include_hierarchies=yes')).status).toBe(400)
    const { rows } = await world.sql(
      'SELECT id FROM nodes WHERE store_id = $1 ORDER BY created_at DESC, id DESC',
      [world.storeId],
    )
    const met: string[] = []
    for (let offset = 0; offset < rows.length; offset += 7) {
      const page = await admin.get(
        `/pcm/hierarchies/nodes/?include_hierarchies=true&page[limit]=7&page[offset]=${offset}`,
      )
      expect(page.body.meta.results.total).toBe(rows.length)
      met.push(...page.body.data.map(({ id }: { id: string }) => id))
    }
    expect(met).toEqual(rows.map(({ id }) => id))
  })
})
