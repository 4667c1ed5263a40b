import { command } from './frame/command.ts'
import { beginAgain, heapFlags } from './heap-flags.ts'

export const prepare = command({
  name: 'prepare',
  group: 'Run',
  about: 'Completes an install, so that it can be read-only and starts faster: for images and packages.',
  details:
    'It links the libraries of the PostgreSQL that comes along, and keeps the compiled code of the server.',
  examples: [['RUN sutler prepare', 'in the file of an image, after npm install']],
  leaves: 'what is done stays. Run it again.',
  async run() {
    // Node keeps compiled code for each set of flags, and a start has these.
    beginAgain(heapFlags, process.argv.slice(2))
    const module = await import('node:module')
    const { embeddedVersion, findPrograms, linkLibraries } = await import(
      '../server/platform/postgres/programs.ts'
    )
    const { StartupRefusal } = await import('../server/platform/faults.ts')
    const programs = embeddedVersion() === undefined ? undefined : findPrograms()
    if (programs && !linkLibraries(programs)) {
      throw new StartupRefusal(
        `cannot write to ${programs.libraries}: run sutler prepare as the user who installs`,
      )
    }
    // What a start loads is compiled, and kept when the process ends.
    await import('../server/main.ts')
    module.flushCompileCache()
    const code = module.getCompileCacheDir() ?? null
    const postgres = programs ? 'PostgreSQL is linked' : 'there is no PostgreSQL to link (set DATABASE_URL)'
    return {
      text: `Prepared: ${postgres}; ${code === null ? 'compiled code cannot be kept here' : `compiled code is in ${code}`}`,
      data: { postgres: programs?.libraries ?? null, compiled_code: code },
    }
  },
})
