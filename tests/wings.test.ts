import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  filesIn,
  folderOf,
  importsOf,
  pureRooms,
  read,
  roomOf,
  rooms,
  wings,
} from './support/source-files.ts'

/** The table of wings in ARCHITECTURE.md, and the folders and imports that it is about. */

const root = join(import.meta.dirname, '..')
const foldersIn = (path: string) =>
  readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  )

const files = ['server', 'tools', 'command'].flatMap(filesIn).filter((file) => file.endsWith('.ts'))
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

test('the server uses neither the tools nor the commands, and the tools use no command', () => {
  const wrong = usesOf(files, (file, path) => {
    const places = ['server', 'tools', 'command'].map((place) => `${place}/`)
    const [own, other] = [file, path].map((one) => places.findIndex((place) => one.startsWith(place)))
    return (own as number) < (other as number)
  })
  expect(wrong).toEqual([])
})

test('the rooms that compute only touch nothing', () => {
  expect(pureRooms.length).toBeGreaterThan(3)
  expect(pureRooms.filter((room) => !rooms.includes(room))).toEqual([])
  const io = /kernel\/(storage|feed|query|http|write|attempts|request|server)\b|kernel\/work\/(?!in-turns)/
  const touching = files
    .filter((file) => pureRooms.includes(roomOf(file)))
    .filter(
      (file) =>
        /\b(store|database|connection)\.\w+\(/.test(read(file)) ||
        [...read(file).matchAll(/^import (?!type\b)[^']+ from '([^']+)'/gm)].some(([, name = '']) =>
          io.test(name),
        ),
    )
  expect(touching).toEqual([])
})

test('no folder has more than 24 files', () => {
  const counted = Map.groupBy(files, dirname)
  expect(
    [...counted].flatMap(([folder, { length }]) => (length > 24 ? [`${folder}: ${length}`] : [])),
  ).toEqual([])
})

describe('the tests', () => {
  /** Of a test or what helps it: its wing and room, or its folder below tests/. */
  const testRoom = (file: string) => dirname(file).split('/').slice(1, 3).join('/')
  const builders = [...names, '', 'tools']
  const builderRoom = (file: string) => builders.indexOf(testRoom(file).split('/')[1] ?? '')
  const uses = filesIn('tests').flatMap((file) =>
    importsOf(file)
      .filter((path) => path.startsWith('tests/'))
      .map((path) => [file, path] as const),
  )
  const isIn = (file: string, ...folders: readonly string[]) => folders.includes(file.split('/')[1] ?? '')
  const shown = (wrong: typeof uses) => wrong.map(([file, path]) => `${file} uses ${path}`)

  test('use builders, and of their own room what only they need', () => {
    const wrong = uses.filter(
      ([file, path]) =>
        !isIn(path, 'builders', 'support', 'workshop') &&
        testRoom(file) !== testRoom(path) &&
        !file.startsWith(`${dirname(path)}/`),
    )
    expect(shown(wrong)).toEqual([])
  })

  test('have builders that use only those of the wings before them', () => {
    const ofBuilders = uses.filter(([file]) => isIn(file, 'builders'))
    expect(ofBuilders.length).toBeGreaterThan(50)
    const wrong = ofBuilders.filter(
      ([file, path]) =>
        !isIn(path, 'builders', 'support', 'workshop') ||
        (isIn(path, 'builders') && builderRoom(file) < builderRoom(path)),
    )
    let circles = ofBuilders.filter(([, path]) => isIn(path, 'builders'))
    for (let before = 0; before !== circles.length; ) {
      before = circles.length
      const users = new Set(circles.map(([file]) => file))
      circles = circles.filter(([, path]) => users.has(path))
    }
    expect(shown([...wrong, ...circles])).toEqual([])
    const inBuilders = (path: string) => testRoom(path).split('/')[1] ?? ''
    const strange = filesIn('tests/builders').filter((file) => !builders.includes(inBuilders(file)))
    expect(strange).toEqual([])
  })

  test('have support that knows no wing', () => {
    const wrong = uses.filter(([file, path]) => isIn(file, 'support') && !isIn(path, 'support', 'workshop'))
    expect(shown(wrong)).toEqual([])
    const above = uses.filter(([file, path]) => isIn(file, 'workshop') && !isIn(path, 'workshop'))
    expect(shown(above)).toEqual([])
  })

  test('have builders that are used by several rooms', () => {
    const usersOf = Map.groupBy(uses, ([, path]) => path)
    const ofOne = [...usersOf].filter(
      ([path, users]) =>
        isIn(path, 'builders') &&
        new Set(users.map(([file]) => testRoom(file))).size < 2 &&
        users.every(([file]) => !isIn(file, 'builders')),
    )
    expect(ofOne.map(([path]) => path)).toEqual([])
  })
})

test('tests are in folders with the names of what they test', () => {
  /** What is about all of it. */
  const ofAll = ['builders', 'contract', 'journeys', 'races', 'support', 'workshop']
  /** What stands beside the server. */
  const beside = ['tools', 'command', 'packaging', 'console']
  const strange = foldersIn('tests').filter(
    (name) => ![...names, ...below, ...ofAll, ...beside].includes(name),
  )
  const inside = [...names.map((name) => `server/${name}`), ...beside].flatMap((place) => {
    const folder = place.replace('server/', '')
    if (!existsSync(join(root, 'tests', folder))) return []
    return foldersIn(`tests/${folder}`)
      .filter((name) => !existsSync(join(root, place, name)))
      .map((name) => `tests/${folder}/${name}`)
  })
  expect([...strange, ...inside]).toEqual([])
})
