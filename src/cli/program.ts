import { Command } from 'commander'
import { about } from './about.ts'

type Loader = () => Promise<Command>

const first: Readonly<Record<string, Loader>> = {
  serve: async () => (await import('./serve.ts')).serveCommand(),
}

const onFolder: Readonly<Record<string, Loader>> = {
  token: async () => (await import('./token.ts')).tokenCommand(),
  user: async () => (await import('./user.ts')).userCommand(),
  org: async () => (await import('./org.ts')).orgCommand(),
  key: async () => (await import('./key.ts')).keyCommand(),
  verify: async () => (await import('./verify.ts')).verifyCommand(),
  reindex: async () => (await import('./reindex.ts')).reindexCommand(),
  backup: async () => (await import('./backup.ts')).backupCommand(),
  restore: async () => (await import('./restore.ts')).restoreCommand(),
  repair: async () => (await import('./repair.ts')).repairCommand(),
  gc: async () => (await import('./gc.ts')).gcCommand(),
  'purge-content': async () => (await import('./purge-content.ts')).purgeContentCommand(),
}

const overHttp: Readonly<Record<string, Loader>> = {
  space: async () => (await import('./space.ts')).spaceCommand(),
  'change-request': async () => (await import('./change-request.ts')).changeRequestCommand(),
  import: async () => (await import('./git-sync.ts')).importCommand(),
  export: async () => (await import('./git-sync.ts')).exportCommand(),
}

/**
 * The command line with the subcommand that is wanted, or with all of them when it is none: a command that asks the
 * server need not load what opens the data folder. Wrong usage throws CommanderError.
 */
export async function program(wanted: string | undefined): Promise<Command> {
  const root = new Command('stemma').description(about.description).version(about.version).exitOverride()
  const all = { ...first, ...onFolder, ...overHttp }
  const only = wanted === undefined || !Object.hasOwn(all, wanted) ? undefined : wanted
  const add = async (commands: Readonly<Record<string, Loader>>) => {
    for (const [name, load] of Object.entries(commands))
      if (only === undefined || only === name) root.addCommand(await load())
  }
  await add(first)
  root.commandsGroup(
    'On the data folder (STEMMA_DATA); the server may run meanwhile, but for "restore", "key" and "purge-content":',
  )
  await add(onFolder)
  root.commandsGroup('Over HTTP (STEMMA_URL, STEMMA_TOKEN):')
  await add(overHttp)
  return root
}
