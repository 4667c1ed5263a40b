import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readConfig } from './config.ts'
import { systemClock } from './kernel/clock.ts'
import { StartupError } from './kernel/errors.ts'
import { backUp, restore } from './kernel/storage/backup.ts'

/** `backup <directory>` copies the data directory there, under a running server too; `restore <directory>` back. */
async function run(command: string | undefined, path: string | undefined): Promise<string> {
  const { databaseUrl, dataDir } = readConfig()
  if ((command !== 'backup' && command !== 'restore') || !path) {
    throw new StartupError('say where: npm run backup -- <directory>, or npm run restore -- <directory>')
  }
  if (databaseUrl) {
    throw new StartupError(
      'DATABASE_URL is set: back that PostgreSQL up, and restore it, with its own tools (pg_dump)',
    )
  }
  const directory = resolve(path)
  if (command === 'backup') await backUp(dataDir, directory, systemClock.now())
  else restore(directory, dataDir)
  const secret = existsSync(join(directory, 'secret'))
    ? ''
    : ' (the secret is not in it: keep SUTLER_SECRET yourself)'
  return command === 'backup'
    ? `The backup of ${dataDir} is ${directory}${secret}`
    : `${dataDir} is as ${directory} was: start it with npm start${secret}`
}

const [command, path] = process.argv.slice(2)
try {
  process.stdout.write(`${await run(command, path)}\n`)
} catch (error) {
  const { message, stack, code } = error as NodeJS.ErrnoException
  // What a file system or PostgreSQL refuses says why.
  process.stderr.write(`sutler: ${error instanceof StartupError || code ? message : stack}\n`)
  process.exitCode = 1
}
