import { Command } from 'commander'
import { about } from './output/about.ts'

type Loader = () => Promise<Command>

const first: Readonly<Record<string, Loader>> = {
  serve: async () => (await import('./commands/serve.ts')).serveCommand(),
}

const onFolder: Readonly<Record<string, Loader>> = {
  open: async () => (await import('./commands/open.ts')).openCommand(),
  token: async () => (await import('./commands/token.ts')).tokenCommand(),
  user: async () => (await import('./commands/user.ts')).userCommand(),
  org: async () => (await import('./commands/org.ts')).orgCommand(),
  key: async () => (await import('./commands/key.ts')).keyCommand(),
  verify: async () => (await import('./commands/verify.ts')).verifyCommand(),
  reindex: async () => (await import('./commands/reindex.ts')).reindexCommand(),
  backup: async () => (await import('./commands/copies/backup.ts')).backupCommand(),
  restore: async () => (await import('./commands/copies/restore.ts')).restoreCommand(),
  move: async () => (await import('./commands/copies/move.ts')).moveCommand(),
  repair: async () => (await import('./commands/repair.ts')).repairCommand(),
  gc: async () => (await import('./commands/gc.ts')).gcCommand(),
  'purge-content': async () => (await import('./commands/purge-content.ts')).purgeContentCommand(),
}

const overHttp: Readonly<Record<string, Loader>> = {
  login: async () => (await import('./commands/login.ts')).loginCommand(),
  logout: async () => (await import('./commands/logout.ts')).logoutCommand(),
  space: async () => (await import('./commands/space.ts')).spaceCommand(),
  clone: async () => (await import('./commands/clone.ts')).cloneCommand(),
  credential: async () => (await import('./commands/credential.ts')).credentialCommand(),
  publish: async () => (await import('./commands/publish.ts')).publishCommand(),
  site: async () => (await import('./commands/site.ts')).siteCommand(),
  integration: async () => (await import('./commands/integration.ts')).integrationCommand(),
  'change-request': async () =>
    (await import('./commands/change-request.ts')).changeRequestCommand(),
  import: async () => (await import('./commands/git-sync.ts')).importCommand(),
  export: async () => (await import('./commands/git-sync.ts')).exportCommand(),
}

const alone: Readonly<Record<string, Loader>> = {
  check: async () => (await import('./commands/check.ts')).checkCommand(),
}

/**
 * Returns the command line with the requested subcommand, or with all of them if there is none by
 * that name: a command that calls the API does not need to load what opens the data folder. Wrong
 * usage throws CommanderError.
 */
export async function program(wanted: string | undefined): Promise<Command> {
  const root = new Command('stemma')
    .description(about.description)
    .version(about.version)
    .exitOverride()
  const all = { ...first, ...onFolder, ...overHttp, ...alone }
  const only = wanted === undefined || !Object.hasOwn(all, wanted) ? undefined : wanted
  const add = async (commands: Readonly<Record<string, Loader>>) => {
    for (const [name, load] of Object.entries(commands))
      if (only === undefined || only === name) root.addCommand(await load())
  }
  await add(first)
  root.commandsGroup(
    'On the data folder (STEMMA_DATA); the server may be running, except for "restore", "move", "key" and "purge-content":',
  )
  await add(onFolder)
  root.commandsGroup('Over HTTP (STEMMA_URL, and STEMMA_TOKEN or "stemma login"):')
  await add(overHttp)
  root.commandsGroup('Without a server:')
  await add(alone)

  return root
}
