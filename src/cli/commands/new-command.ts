import { Command, Help, type Option } from 'commander'

/** Returns a subcommand with a description and an example in its help. Usage errors are thrown. */
export const newCommand = (name: string, about: string, example: string): Command =>
  new Command(name)
    .description(about)
    .configureHelp({ optionDescription })
    .addHelpText('after', `\nExample:\n  ${example}`)
    .exitOverride()

/** Returns a subcommand with a result: `--json` prints it as JSON. */
export const newQuery = (name: string, about: string, example: string): Command =>
  newCommand(name, about, example).option('--json', 'print the result as JSON')

/** Returns a command that only has subcommands. */
export function newGroup(name: string, about: string, commands: readonly Command[]): Command {
  const group = new Command(name).description(about).exitOverride()
  for (const command of commands) group.addCommand(command)
  return group
}

const help = new Help()

/** Adds to Commander's description whether an option is required. */
const optionDescription = (option: Option): string =>
  help.optionDescription(option) + (option.mandatory ? ' (required)' : '')
