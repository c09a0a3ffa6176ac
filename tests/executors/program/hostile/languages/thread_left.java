// status: timeout
public class Main {
    public static void main(String[] words) {
        new Thread(() -> { while (true); }).start();
        System.out.println(7);
    }
}
