import { command } from './frame/command.ts'

export const doctor = command({
  name: 'doctor',
  group: 'Schema',
  about: 'Looks over the database and this machine, and says what to do about each fault.',
  details:
    'Versions, extensions, rights, disk, clock, connections, settings, processes, migrations and unfinished jobs.\n' +
    'It changes nothing, and works beside a server or without. The exit code is 1 if something is a fault.',
  examples: [
    ['sutler doctor', 'before an upgrade, with the new version'],
    ['sutler doctor --json', 'for programs'],
  ],
  async run() {
    const { readSettings } = await import('../server/config.ts')
    const { withDatabase } = await import('./frame/with-database.ts')
    const { systemClock } = await import('../server/kernel/clock.ts')
    const { examine } = await import('../tools/doctor.ts')
    const findings = await withDatabase((database, config) =>
      examine(database, config, readSettings().unknown, systemClock),
    )
    const width = Math.max(...findings.map(({ subject }) => subject.length))
    const lines = findings.map(
      ({ subject, state, says, advice }) =>
        `${state.padEnd(7)}  ${subject.padEnd(width)}  ${says}${advice && `: ${advice}`}`,
    )
    return {
      text: lines.join('\n'),
      data: { findings },
      hasFailed: findings.some(({ state }) => state === 'fault'),
    }
  },
})
