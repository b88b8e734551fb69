import type { Meta } from '../../../database/store.ts'

/** An open page has told the user, so that no letter has to. */
export async function noteTold(meta: Meta, id: string): Promise<void> {
  await meta.updateTable('approval').set({ letter_at: null }).where('id', '=', id).execute()
}
