import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** The repository's own text, for tests of its rules. Paths are relative to its root. */

const root = join(import.meta.dirname, '../..')

export const read = (file: string): string => readFileSync(join(root, file), 'utf8')

export const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs|sql)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))

/** The folder of a file under server/; '' for those that are in none. */
export const moduleOf = (file: string): string =>
  file.split('/').length > 2 ? (file.split('/')[1] as string) : ''

const table = [...read('server/app.ts').matchAll(/const (?:chapters|all)[^=]*= \[([^\]]*)\]/g)]
  .map(([, names]) => names)
  .join()
const importedAs = new Map(
  [...read('server/app.ts').matchAll(/import \{([^}]*)\} from '\.\/([\w-]+)\/index\.ts'/g)].flatMap(
    ([, names = '', folder = '']) => names.split(',').map((name) => [name.trim(), folder] as const),
  ),
)

/** The modules as server/app.ts lists them. */
export const order: readonly string[] = [
  ...table.matchAll(/^\s*(?:\.\.\.)?(\w+)/gm),
  ...table.matchAll(/,\s*(\w+)/g),
].flatMap(([, name = '']) => importedAs.get(name) ?? [])
