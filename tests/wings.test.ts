import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { filesIn, folderOf, importsOf, read, roomOf, rooms, wings } from './support/source-files.ts'

/** The table of wings in ARCHITECTURE.md, and the folders and imports that it is about. */

const root = join(import.meta.dirname, '..')
const foldersIn = (path: string) =>
  readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  )

const files = ['server', 'tools'].flatMap(filesIn).filter((file) => file.endsWith('.ts'))
const names = [...wings.keys()]
const inWings = files.filter((file) => wings.has(folderOf(file)))
const doors = names.map((name) => `server/${name}/index.ts`)
/** What a wing serves. Only its door uses them. */
const chapters = names.map((name) => `server/${name}/chapters.ts`)
const above = [...doors, ...chapters]

/** What all wings stand on. */
const below = ['kernel', 'platform', 'migrations']

const usesOf = (some: readonly string[], isWrong: (file: string, path: string) => boolean) =>
  some.flatMap((file) =>
    importsOf(file)
      .filter((path) => isWrong(file, path))
      .map((path) => `${file} uses ${path}`),
  )

describe('the wings', () => {
  test('are the folders of the server, and their rooms are the folders in them', () => {
    expect(rooms.length).toBeGreaterThan(40)
    expect(foldersIn('server').sort()).toEqual([...names, ...below].sort())
    for (const [wing, listed] of wings) {
      expect([wing, foldersIn(`server/${wing}`).sort()]).toEqual([wing, [...listed].sort()])
      const loose = readdirSync(join(root, 'server', wing)).filter((name) => name.endsWith('.ts'))
      const inNoRoom = loose.filter((name) => !above.includes(`server/${wing}/${name}`))
      if (listed.length > 0) expect([wing, inNoRoom]).toEqual([wing, []])
    }
  })

  test('have the only doors, which pass on what others use', () => {
    expect(files.filter((file) => file.endsWith('/index.ts')).sort()).toEqual([...doors].sort())
    const passesOn = /^export (type )?\{[^}]*\} from '\.\/[^']+'\n/gm
    expect(doors.filter((door) => read(door).replace(passesOn, '').trim() !== '')).toEqual([])
    const used = new Set(files.filter((file) => !doors.includes(file)).flatMap(importsOf))
    expect(doors.filter((door) => !used.has(door))).toEqual([])
  })

  test('are used through their doors, and only by those after them', () => {
    const wrong = usesOf(files, (file, path) => {
      const [own, other] = [folderOf(file), folderOf(path)]
      if (!wings.has(other) || own === other) return false
      return (
        path !== `server/${other}/index.ts` || names.indexOf(own) < names.indexOf(other) === wings.has(own)
      )
    })
    expect(wrong).toEqual([])
  })

  test('have rooms that use only the rooms before them, and no door of their own', () => {
    const wrong = usesOf(
      inWings.filter((file) => !above.includes(file)),
      (file, path) =>
        folderOf(path) === folderOf(file) &&
        (above.includes(path) || rooms.indexOf(roomOf(path)) > rooms.indexOf(roomOf(file))),
    )
    expect(wrong).toEqual([])
  })
})

test('no folder has more than 24 files', () => {
  const counted = Map.groupBy(files, dirname)
  expect(
    [...counted].flatMap(([folder, { length }]) => (length > 24 ? [`${folder}: ${length}`] : [])),
  ).toEqual([])
})

test('tests are in folders with the names of what they test', () => {
  /** What is about all of it. */
  const ofAll = ['contract', 'journeys', 'races', 'support', 'workshop']
  const strange = foldersIn('tests').filter((name) => ![...names, ...below, ...ofAll, 'tools'].includes(name))
  const inside = [...names.map((name) => `server/${name}`), 'tools'].flatMap((place) => {
    const folder = place.replace('server/', '')
    if (!existsSync(join(root, 'tests', folder))) return []
    return foldersIn(`tests/${folder}`)
      .filter((name) => !existsSync(join(root, place, name)))
      .map((name) => `tests/${folder}/${name}`)
  })
  expect([...strange, ...inside]).toEqual([])
})
