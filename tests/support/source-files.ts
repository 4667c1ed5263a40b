import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** The repository's own text, for tests of its rules. Paths are relative to its root. */

const root = join(import.meta.dirname, '../..')

export const read = (file: string): string => readFileSync(join(root, file), 'utf8')

export const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs|sql)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))

const [, tableOfWings = ''] = /^## The wings\n([\s\S]*?)^## /m.exec(read('ARCHITECTURE.md')) ?? []

/** The wings with their rooms, as ARCHITECTURE.md lists them: in the order in which they may use each other. */
export const wings: ReadonlyMap<string, readonly string[]> = new Map(
  [...tableOfWings.matchAll(/^\| `([\w-]+)\/` \| ([^|]*) \|/gm)].map(([, wing = '', rooms = '']) => [
    wing,
    [...rooms.matchAll(/`([\w-]+)`/g)].map(([, room = '']) => room),
  ]),
)

/** The rooms of all wings in their order. A wing without rooms is one. */
export const rooms: readonly string[] = [...wings].flatMap(([wing, names]) =>
  names.length > 0 ? names.map((name) => `${wing}/${name}`) : [wing],
)

/** The rooms that compute only, as ARCHITECTURE.md lists them. */
export const pureRooms: readonly string[] = [
  ...(/^- These rooms compute only([\s\S]*?)\.\n/m.exec(tableOfWings)?.[1] ?? '').matchAll(/`([\w/-]+)`/g),
].map(([, room = '']) => room)

/** The folder of a file under server/: a wing, or what all of them stand on. '' for a file in none, or elsewhere. */
export const folderOf = (file: string): string => {
  const [top, folder = '', ...rest] = file.split('/')
  return top === 'server' && rest.length > 0 ? folder : ''
}

/** The room of a file. For a file in none, such as a door, it is the folder under server/. */
export const roomOf = (file: string): string => {
  const [, folder = '', room = ''] = file.split('/')
  return wings.get(folder)?.includes(room) ? `${folder}/${room}` : folderOf(file)
}

/** The files of this repository that a file imports, at its start or when it needs them. */
export const importsOf = (file: string): readonly string[] =>
  [...read(file).matchAll(/(?:\bfrom |\bimport\(\s*)'(\.[^']+)'/g)].map(([, path = '']) =>
    join(dirname(file), path),
  )
