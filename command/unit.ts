import { command } from './frame/command.ts'

export const unit = command({
  name: 'unit',
  group: 'Run',
  about: 'Prints a unit file of systemd for this install.',
  details:
    'The unit runs Sutler as a user of its own, with its data in /var/lib/sutler and settings in /etc/sutler.env, and\n' +
    'without rights that it does not need.',
  examples: [
    ['sutler unit > /etc/systemd/system/sutler.service', 'then: systemctl enable --now sutler'],
    ['journalctl --unit sutler', 'the log; the first start prints the first application key there'],
  ],
  async run() {
    const text = unitFor([process.execPath, process.argv[1] ?? ''].map(quoted).join(' '))
    return { text, data: { unit: text } }
  },
})

/** systemd reads backslashes, percent signs and dollars of a command. */
const quoted = (path: string) =>
  `"${path.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`

/**
 * Node writes machine code into memory, so MemoryDenyWriteExecute would end it. systemd is not told when the server is
 * ready, because Node has no datagram sockets of Unix: ask `sutler health`.
 */
const unitFor = (program: string) => `[Unit]
Description=Sutler, a commerce server
After=network-online.target postgresql.service
Wants=network-online.target

[Service]
Type=exec
ExecStart=${program} start
# Settings as KEY=value. A secret is safer in a file of its own, which only root reads:
#   LoadCredential=secret:/etc/sutler/secret
#   Environment=SUTLER_SECRET_FILE=%d/secret
EnvironmentFile=-/etc/sutler.env
Environment=NODE_ENV=production HOME=/var/lib/sutler SUTLER_DATA_DIR=/var/lib/sutler
WorkingDirectory=/var/lib/sutler
# With SUTLER_PROCESSES above 1, for systemctl reload: ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
# A setting is wrong, or the data is in use: a restart would not help.
RestartPreventExitStatus=2 3
KillMode=mixed
TimeoutStopSec=60
LimitNOFILE=65536

DynamicUser=yes
StateDirectory=sutler
StateDirectoryMode=0700
UMask=0077
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
PrivateDevices=yes
PrivateTmp=yes
PrivateUsers=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHome=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
ProtectSystem=strict
DevicePolicy=closed
LockPersonality=yes
RemoveIPC=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallErrorNumber=EPERM
# Its PostgreSQL gives way to writes with a lower priority, which is of @resources.
SystemCallFilter=@system-service
SystemCallFilter=~@privileged

[Install]
WantedBy=multi-user.target
`
