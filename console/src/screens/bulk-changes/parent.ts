import { placeAt } from '../../api/resources.ts'
import type { Source } from '../../fields/references.ts'

/** The object that a list belongs to: the price book of prices. */
export function parentOfList(listPath: string): (Source & { readonly id: string }) | undefined {
  const segments = listPath.split('/')
  const place = placeAt(segments.slice(0, -1).join('/'))
  if (!place?.itemPath || place.itemPath === place.listPath) return undefined
  return { resource: place.resource, listPath: place.listPath, id: segments.at(-2) ?? '' }
}
