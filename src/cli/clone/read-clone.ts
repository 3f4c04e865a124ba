import { resolve } from 'node:path'
import { gitIn } from './run-git.ts'

/** The user's own clone of a repository, as far as an import or export needs it. */
export type Clone = {
  /** The top folder of the working tree. */
  root: string
  /** The URL of the remote "origin"; undefined without one. */
  url: string | undefined
  /**
   * The branch on the remote that the current branch tracks, or else its own name; undefined on a
   * detached HEAD.
   */
  branch: string | undefined
  /** The current folder relative to the root; '' for the root. */
  directory: string
  /** The number of commits that are not on the remote. */
  unpushed: number
  /** The number of files with uncommitted changes. */
  uncommitted: number
}

/**
 * Returns the clone that contains a folder; undefined outside of a working tree and without git.
 */
export async function readClone(folder: string): Promise<Clone | undefined> {
  try {
    const git = await gitIn(resolve(folder))
    const [root = '', prefix = ''] = (
      await git('rev-parse', '--show-toplevel', '--show-prefix')
    ).split('\n')
    const origin = await git('remote', 'get-url', 'origin').catch(() => '')

    // The status of a submodule would start git with the settings of that submodule.
    const status = await git('status', '--porcelain=v2', '--branch', '--ignore-submodules=all')
    const lines = status.split('\n').filter(line => line !== '')
    const told = (name: string) =>
      lines.find(line => line.startsWith(`# branch.${name} `))?.split(' ')[2]
    const tracking = told('upstream')
    const tracked = tracking?.startsWith('origin/') ? tracking.slice('origin/'.length) : undefined
    const current = told('head')

    return {
      root,
      url: origin.trim() || undefined,
      branch: current === '(detached)' ? undefined : (tracked ?? current),
      directory: prefix.replace(/\/$/, ''),
      unpushed: Number(told('ab') ?? 0),
      uncommitted: lines.filter(line => !line.startsWith('#')).length,
    }
  } catch {
    // No folder, no git, or a bare repository: the caller then asks for the URL.
    return undefined
  }
}
