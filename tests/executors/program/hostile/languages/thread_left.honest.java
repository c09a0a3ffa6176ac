// status: ok
public class Main {
    public static void main(String[] words) {
        Thread thread = new Thread(() -> { while (true); });
        thread.setDaemon(true);
        thread.start();
        System.out.println(7);
    }
}
