import { type Line, skipped } from '../../line.ts'

const none = (what: string) => `there is no ${what} yet`

/** Inputs without a place in the product so far: each becomes a line when there is one. */
export const nowhere: Line[] = [
  skipped(
    'A21',
    'a branch that differs from another in case alone',
    'this file system tells them apart',
  ),
  skipped('B17', 'an uploaded archive of a repository', none('upload of repositories')),
  skipped(
    'C4',
    'markup that changes when it is parsed twice',
    'pages are written from a tree, and never parsed again',
  ),
  skipped(
    'C5',
    'a picture with a script, shown in a page',
    'pages show pictures as images, which run no scripts; its download is D3',
  ),
  skipped('C11', 'includes that include themselves', 'a reusable block is named, not put in place'),
  skipped(
    'C13',
    'a picture from an inner address',
    'the server fetches no picture that a page names',
  ),
  skipped('D5', 'pictures of 50,000 by 50,000', 'no picture is decoded'),
  skipped('D7', 'archives with "../" in them', none('archive to upload or download')),
  skipped(
    'F7',
    'guessing passwords',
    none('password: there are tokens alone, of 43 random characters'),
  ),
  skipped('F9', 'the time that a wrong password takes', none('password')),
  skipped('F10', 'a password of 1 MB', none('password')),
  skipped('L3', 'a million tags', none('tag')),
]
