import { Workbench } from './workbench.ts';

describe('the first minutes', () => {
  it('have a walkthrough whose first step leads to the choice of a model', async () => {
    const workbench = await Workbench.open({ profile: 'first-minutes' });
    const { page } = workbench;
    await workbench.chooseCommand('Welcome: Open Walkthrough...');
    await workbench.quickInput().fill('Get Started with Threadkeeper');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Choose Model' }).waitFor();
    await workbench.screenshot('walkthrough');
    await page.getByRole('button', { name: 'Choose Model' }).click();
    await page.getByText('Who answers in this session?').waitFor();
    await workbench.close();
  });
});
