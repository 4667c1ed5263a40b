import { readOnly, shown } from '../../kernel/shape/shown.ts'

const counted = shown.group({
  links: shown.group({ related: shown.text }),
  meta: shown.group({ count: shown.integer }),
})

const about = 'Where its rules and releases are listed, and how many there are.'

/**
 * Links to the rules and releases of a catalog, with their counts. Creating or deleting one of them raises the
 * version of the catalog.
 */
export const withRelationships = {
  fields: { relationships: readOnly(shown.group({ rules: counted, releases: counted }), { about }) },
  sql: (catalog: string): string => {
    const linked = (related: string, table: string) =>
      `json_build_object('links', json_build_object('related', ${related}), 'meta', json_build_object('count', (
        SELECT count(*) FROM ${table} other
        WHERE other.store_id = ${catalog}store_id AND other.catalog_id = ${catalog}id)))`
    const [rules, releases] = [
      linked(`'/pcm/catalogs/rules?filter=eq(catalog_id,' || ${catalog}id || ')'`, 'catalog_rules'),
      linked(`'/pcm/catalogs/' || ${catalog}id || '/releases'`, 'catalog_releases'),
    ]
    return `'"relationships":' || json_build_object('rules', ${rules}, 'releases', ${releases})::text`
  },
}
