import { backup } from './backup.ts'
import { checkCommands } from './check.ts'
import { colleagueCommands } from './colleague.ts'
import { config } from './config.ts'
import { copy } from './copy.ts'
import { dev } from './dev.ts'
import { distributeCommand } from './distribute.ts'
import { doctor } from './doctor.ts'
import { exportCommand } from './export.ts'
import type { Command } from './frame/command.ts'
import { health } from './health.ts'
import { importCommand } from './import.ts'
import { keyCommands } from './key.ts'
import { migrateCommand } from './migrate.ts'
import { prepare } from './prepare.ts'
import { restoreCommand } from './restore.ts'
import { secretRotate } from './secret.ts'
import { seed } from './seed.ts'
import { start } from './start.ts'
import { storeCommands } from './store.ts'
import { unit } from './unit.ts'
import { version } from './version.ts'

/** All commands, in the order of the help. Each loads what it needs when it runs. */
export const commands: readonly Command[] = [
  start,
  // Only a clone has sources to watch.
  ...(import.meta.filename.endsWith('.ts') ? [dev] : []),
  ...[health, version, config, prepare, unit],
  ...[backup, restoreCommand, exportCommand, importCommand, copy, seed],
  ...[migrateCommand, distributeCommand, doctor],
  ...keyCommands,
  ...colleagueCommands,
  ...storeCommands,
  secretRotate,
  ...checkCommands,
]
