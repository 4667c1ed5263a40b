import { app } from '../../../server/app.ts'
import { pathsOf } from '../../../server/kernel/declare/operation.ts'
import type { Client } from '../../support/client.ts'
import type { World } from '../../support/world.ts'
import { Samples, specimensWith } from '../samples.ts'

const ofApp = new Set(app.flatMap(({ operations }) => operations.flatMap(pathsOf)))

/** Makes two objects of every kind in a store, and returns the paths of their lists. */
export async function fillStore({ admin, work }: World): Promise<readonly string[]> {
  const samples = new Samples(admin, work)
  const paths: string[] = []
  for (const specimen of specimensWith('list')) {
    const { path } = specimen.operations.list as { path: string }
    if (!ofApp.has(path)) continue
    const collection = await samples.path(path)
    paths.push(collection)
    const room = await samples.room(specimen, collection, 2)
    for (let i = 0; i < room; i++) await samples.make(specimen, collection).catch(() => {})
  }
  return paths
}

/** The pages of lists, as they are answered, by their paths; the address of the server is left out. */
export async function readLists(
  client: Client,
  url: string,
  paths: readonly string[],
): Promise<Record<string, string>> {
  const lists: Record<string, string> = {}
  for (const path of paths) {
    const answer = await fetch(`${url}${path}?page%5Blimit%5D=100`, {
      headers: { authorization: `Bearer ${client.token}` },
    })
    lists[path] = `${answer.status} ${(await answer.text()).replaceAll(url, '')}`
  }
  return lists
}
