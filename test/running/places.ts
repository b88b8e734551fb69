export interface Place {
  readonly file: string
  readonly offset: number
}

/** Stands for a test's file: as a filter it names every file. */
export const WHILE_LOADING = ''
