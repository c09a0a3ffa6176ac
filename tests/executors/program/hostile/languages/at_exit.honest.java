// status: ok
public class Main {
    public static void main(String[] words) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println(7)));
        System.exit(0);
    }
}
